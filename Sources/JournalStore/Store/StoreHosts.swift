/// The daemons that share a store, each with a name and a lease.
///
/// A lease decides nothing about what is stored, which the fence of each append does. It says which daemon serves a
/// world, and until when a daemon may answer from memory.
package protocol StoreHosts: AnyObject, Sendable {
  /// This daemon's name.
  var name: String { get }

  /// The term in which this daemon may answer from memory at this moment; nil if it may not. Any thread may ask, and does
  /// not wait.
  ///
  /// A lease that was over begins another term when it is renewed: others may have taken worlds meanwhile.
  var term: Int? { get }

  /// In how many nanoseconds ``renew()`` is due; 0 if it is due now. Any thread may ask.
  var wait: UInt64 { get }

  /// Renews the lease, or acquires one, and looks for the other daemons. It waits for the store, for less than the lease
  /// lasts; one thread at a time calls it.
  ///
  /// - Throws: Why there is no lease.
  func renew() throws(StoreFailure)

  /// Whether a daemon has ended or this one was given a world since the last call, so that worlds may need a daemon.
  func takeNews() -> Bool
}

/// What a daemon's lease says about a world that it took.
package enum HolderLease: Hashable, Sendable {
  /// It is this daemon.
  case own
  /// It is another daemon, whose lease is good.
  case others
  /// It has none, or it has ended.
  case ended
}
