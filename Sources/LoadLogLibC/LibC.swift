// Swift calls the C library by another name on each platform. Import LoadLogLibC instead of choosing one:
// Swift checks imports file by file, so a plain import here would not reach the files that need it.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Glibc
#endif
