import ArgumentParser
import LoadLog

/// What `loadlog` alone prints as long as there is no store.
enum Greeting {
  /// The greeting; nil if there is a store, or if its path is not known.
  static var text: String? {
    guard let store = try? StoreOptions.parse([]), let path = try? store.path() else { return nil }
    do throws(LoadLogError) {
      _ = try store.reader()
      return nil
    } catch {
      guard error.code == .storeMissing else { return nil }
    }
    return """
      \(LoadLogCommand.configuration.abstract)

      Nothing is recorded yet. Three lines to try:

        loadlog run hello -- sleep 1    # record a command as one load
        loadlog status                  # see when each feed was last updated
        loadlog history                 # list the loads

      The record will be in \(VisibleText.quoted(path)).
      loadlog demo shows loading indicators, and loadlog --help lists all other verbs.
      """
  }
}
