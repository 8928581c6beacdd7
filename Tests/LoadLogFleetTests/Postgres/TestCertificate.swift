#if Fleet
  import Foundation

  /// A certificate for the server `fleet.test`, signed by a CA of its own; openssl makes both.
  struct TestCertificate {
    /// The paths of the files.
    let authority: String
    let certificate: String
    let key: String

    /// - Parameter isExpired: whether the server's certificate was valid in the past only.
    init(in folder: URL, isExpired: Bool = false) throws {
      authority = folder.appending(path: "ca.crt").path
      certificate = folder.appending(path: "server.crt").path
      key = folder.appending(path: "server.key").path
      let dates = isExpired ? "-startdate 20200101000000Z -enddate 20200102000000Z" : "-days 30"
      try Shell.run(
        """
        exec 2>&1
        cd \(folder.path)
        openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 30 -subj "/CN=Test CA $$"
        openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj "/CN=fleet.test"
        : >index.txt
        printf '%s\\n' '[ca]' 'default_ca = test' '[test]' 'database = index.txt' 'new_certs_dir = .' \\
          'rand_serial = yes' 'default_md = sha256' 'policy = any' '[any]' 'commonName = supplied' >ca.cnf
        openssl ca -batch -notext -config ca.cnf -cert ca.crt -keyfile ca.key -in server.csr -out server.crt \(dates)
        """)
    }
  }
#endif
