import Foundation
import LoadLogCLI

exit(await ServeProgram.run(Array(CommandLine.arguments.dropFirst())) { try await Serving($0).run() })
