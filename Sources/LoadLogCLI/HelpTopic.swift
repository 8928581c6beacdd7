/// A page of help that belongs to no verb: `loadlog help TOPIC`.
enum HelpTopic: String, CaseIterable {
  case exitCodes = "exit-codes"
  case store
  case verdicts

  /// The page, in lines of at most 80 columns.
  var text: String {
    switch self {
    case .exitCodes:
      """
      EXIT CODES

        \(Ending.done)      done
        \(Ending.refused)      a check failed, the feed or load does not exist, there was nothing to
               finish or pop, or a record could not be imported, recovered or
               delivered
        \(Ending.usage)      wrong usage
        \(Ending.store)      the store is missing, unreadable, not a LoadLog store, newer than this
               program, or a copy that must not ship; a fleet's database is not
               usable; or other users can read the ping keys, the token or the webhook
        \(Ending.busy)      busy beyond the deadline: another program held the store for five
               seconds, or the disk or a fleet's database did not answer in time
        \(Ending.io)      disk full, an I/O error, or a fleet's database that cannot be reached
        \(Ending.damaged)      the store is damaged: loadlog doctor says what to do
        \(NetProgram.missing)    the program loadlog-net, which this verb or option needs, is not
               installed: ./dev install --net

      run returns the exit code of its command instead:

        127    the command cannot be found
        126    it cannot be started
        128+n  signal n ended it
        124    it ran for longer than --timeout
        75     --no-overlap kept it from running
        5      it succeeded, but its output could not be passed on

      serve, demo --web, sync --every, and notify without --once return 0 when
      SIGTERM, SIGINT or SIGHUP ends them. Another verb that signal n ends returns
      128+n, as shells count: 130 after Ctrl-C.

      In a script:

        loadlog status backup/db --check --max-age 25h || echo "the backup is old"
      """
    case .store:
      """
      THE STORE

      The record is one SQLite file, with a few small files beside it while it is in
      use. Any number of programs may record in it and read it at the same time. Its
      first load, expectation or server creates it. A verb uses the store that

        --db PATH         names, else
        $LOADLOG_DB       names, else
        $XDG_STATE_HOME   contains, or ~/.local/state: loadlog/loadlog.db

      loadlog does not touch a store that is not safe there:

        no store          Nothing is there, and a verb that reads creates nothing.
                          status -v prints the path.
        it belongs to …   The store is only for the user who created it, unless its
                          folder is setgid: then it is for the folder's group.
        its folder …      LoadLog and SQLite create files beside the store, and other
                          users must not be able to delete them.
        network file      SQLite's locks do not work there. Keep the store on a local
        system            disk, and ship it to a fleet: loadlog help sync.
        hard links        Delete the other names of the file. Never copy a store in
                          use: loadlog export --format sqlite makes a copy.
        newer version     Another program updated the store. Update this one.

      Something else can be wrong:

        busy              Another program held the store for five seconds. Find it
                          with lsof or fuser, and try again.
        moved             The file was moved, replaced or deleted while it was open.
        disk full         Free some space; prune --older-than 30d deletes old loads.
        damaged           Keep all files. loadlog doctor says what is wrong, and
                          loadlog recover saves what is readable.
      """
    case .verdicts:
      """
      VERDICTS

      A load is running from its start until it gets a verdict. It gets exactly one.
      While its owner cannot be seen from here, it is shown as unknown.

      The finish of a load says that it

        succeeded   and the feed is updated
        unchanged   succeeded and found nothing new; the feed is updated, too
        failed      for a reason
        cancelled   was given up, or was still open when its app quit
        ended       is over, without saying how: a pop without a verdict

      LoadLog finds out that it is

        crashed     the process that owned it is gone, and this is proven
        rebooted    the machine has rebooted since
        abandoned   its owner lives but cannot finish it any more, such as when its
                    token was dropped or its count was reset

      These three are unbalanced: a start that never finished. So are

        extra_pop         a pop while the count was 0
        duplicate_finish  a second finish; the first verdict stands
        orphan_finish     a finish of a load that was never started here

      A load that runs for too long is overrunning. It is still running: no load is
      called crashed because of its age.

      See what has a verdict, and why:

        loadlog history --state crashed
        loadlog show ID
        loadlog unbalanced
      """
    }
  }
}
