/// A page of help that belongs to no verb: `loadlog help TOPIC`.
enum HelpTopic: String, CaseIterable {
  case exitCodes = "exit-codes"
  case verdicts

  /// The page, in lines of at most 80 columns.
  var text: String {
    switch self {
    case .exitCodes:
      """
      EXIT CODES

        \(Ending.done)  done
        \(Ending.refused)  a check failed, the feed or load does not exist, or there was nothing to
           finish or pop
        \(Ending.usage)  wrong usage
        \(Ending.store)  the store is missing, unreadable, not a LoadLog store, newer than this
           program, or a copy that must not ship; or a fleet's database is not usable
        \(Ending.busy)  busy beyond the deadline: another program held the store for five seconds
        \(Ending.io)  disk full, an I/O error, or a fleet's database that cannot be reached
        \(Ending.damaged)  the store is damaged: loadlog doctor says what to do

      run returns the exit code of its command instead:

        127    the command cannot be found
        126    it cannot be started
        128+n  signal n ended it
        124    it ran for longer than --timeout
        75     --no-overlap kept it from running

      In a script:

        loadlog status backup/db --check --max-age 25h || echo "the backup is old"
      """
    case .verdicts:
      """
      VERDICTS

      A load is running from its start until it gets a verdict. It gets exactly one.

      Whoever finishes the load says that it

        succeeded   and the feed is updated
        unchanged   succeeded and found nothing new; the feed is updated, too
        failed      for a reason
        cancelled   was given up; this is also what is left open when an app quits
        ended       is over, and nobody says how: a pop without a verdict

      LoadLog finds out that it is

        crashed     the process that owned it is gone, and this is proven
        rebooted    the machine has rebooted since
        abandoned   its owner lives but cannot finish it any more: its token was
                    dropped, or its count was reset

      These three are unbalanced: a push that was never popped. So are

        extra_pop         a pop while the count was 0
        duplicate_finish  a second finish; the first verdict stands
        orphan_finish     a finish of a load that was never started here

      A load that takes long is overrunning. It is still running: no load is called
      crashed because of its age.

      See what has a verdict, and why:

        loadlog history --state crashed
        loadlog show ID
        loadlog unbalanced
      """
    }
  }
}
