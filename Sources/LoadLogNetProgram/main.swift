import Foundation
import LoadLogCLI

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "notify" {
  exit(NotifyProgram.run(words, webhook: { try Serving.webhook($0) }, connect: PostgresFleet.connection))
}
if FleetProgram.takes(words) {
  exit(await FleetProgram.run(words, connect: PostgresFleet.connection))
}
exit(
  await ServeProgram.run(words, connect: PostgresFleet.connection) { try await Serving($0).run() })
