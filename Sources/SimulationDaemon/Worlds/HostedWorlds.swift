/// The worlds of a daemon by name, and those of each store.
///
/// Kept by store too, since each round visits the worlds of every store.
struct HostedWorlds {
  private var all: [String: HostedWorld] = [:]
  /// By the store's ``Persistence``.
  private var ofStores: [ObjectIdentifier: [String: HostedWorld]] = [:]

  var count: Int { all.count }
  var keys: Dictionary<String, HostedWorld>.Keys { all.keys }
  var values: Dictionary<String, HostedWorld>.Values { all.values }

  /// Those whose names belong to a store, also those that are not durable.
  func of(_ store: Persistence) -> Dictionary<String, HostedWorld>.Values {
    ofStores[ObjectIdentifier(store), default: [:]].values
  }

  subscript(name: String) -> HostedWorld? {
    get { all[name] }
    set {
      // The name decides the store, so another world of that name is in the same one.
      if let store = (newValue ?? all[name])?.persistence {
        ofStores[ObjectIdentifier(store), default: [:]][name] = newValue
      }
      all[name] = newValue
    }
  }
}
