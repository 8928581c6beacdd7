import Foundation
import LoadLogCLI

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "notify" {
  exit(NotifyProgram.run(words) { try Serving.webhook($0) })
}
if FleetProgram.takes(words) {
  exit(await FleetProgram.run(words) { try PostgresFleet.connection($0) })
}
exit(await ServeProgram.run(words) { try await Serving($0).run() })
