#include <zlib.h>

/* inflateInit2 is a macro, which Swift does not see. 16 + 15: gzip with the largest window. */
static inline int loadlog_inflate_init(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }
