/// The page on which a browser shows the token once.
enum LoginPage {
  /// The page.
  ///
  /// - Parameter isWrong: whether the form was sent with another token.
  static func answer(isWrong: Bool) -> ServerResponse {
    let remark = isWrong ? "<p class=\"s bad\" role=\"alert\">Wrong token. See the --token-file.</p>" : ""
    let page = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:,">
      <title>LoadLog: token</title>
      <link rel="stylesheet" href="/report.css">
      </head>
      <body>
      <main>
      <section class="card" aria-labelledby="token-heading">
      <h1 id="token-heading">Enter the token of this server</h1>
      <form class="search" method="post" action="/session">
      <label>Token <input type="password" name="token" autocomplete="current-password" required autofocus></label>
      <button>Show the page</button>
      </form>
      \(remark)
      </section>
      </main>
      </body>
      </html>

      """
    var answer = ServerResponse(401, "text/html; charset=utf-8", Array(page.utf8))
    // With "no-referrer" a browser names no origin when it sends the form.
    answer.fields["referrer-policy"] = "same-origin"
    return answer
  }
}
