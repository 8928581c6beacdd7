import Foundation
import LoadLogCLI

exit(
  await NetCommandLine.run(
    Array(CommandLine.arguments.dropFirst()), connect: PostgresFleet.connection,
    webhook: { try Serving.webhook($0) }, serve: { try await Serving($0).run() }))
