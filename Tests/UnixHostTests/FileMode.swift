import CSystem
import Glibc

/// The permission bits of a file, `nil` if there is none.
func mode(of path: String) -> UInt32? {
  var found = stat()
  guard lstat(path, &found) == 0 else { return nil }
  return found.st_mode & 0o777
}
