import JournalStore
import Simulator

/// Where durable worlds are kept: in one store, or in several by the names of the worlds.
struct Stores {
  let all: [Persistence]
  /// Patterns for names, and the place of the store in ``all``. The first one that matches decides.
  private let patterns: [(pattern: NamePattern, store: Int)]

  /// No store, or one that has all worlds.
  init(_ only: Persistence? = nil) {
    all = only.map { [$0] } ?? []
    patterns = all.isEmpty ? [] : [(.all, 0)]
  }

  /// - Parameter patterns: With the places of their stores in `all`.
  init(_ all: [Persistence], _ patterns: [(pattern: NamePattern, store: Int)]) {
    (self.all, self.patterns) = (all, patterns)
  }

  /// The store of a world; nil if there is none.
  ///
  /// - Parameter name: As `worlds` shows it to the daemon's owner: `lab` or `anna/lab`.
  func store(ofWorld name: String) -> Persistence? {
    var name = name
    return name.withUTF8 { name in
      let name = UnsafeRawBufferPointer(name)
      return patterns.first { $0.pattern.matches(name) }.map { all[$0.store] }
    }
  }

  /// The patterns of a store, as they were written.
  func patterns(of store: Persistence) -> String {
    patterns.filter { all[$0.store] === store }.map { String(decoding: $0.pattern.bytes, as: UTF8.self) }
      .joined(separator: ",")
  }
}

extension Service {
  /// The store of a world.
  ///
  /// - Parameter key: Its ``WorldKey``.
  func store(of key: String) -> Persistence? {
    stores.store(ofWorld: environment.names.shown(key, to: .owner))
  }

  /// The worlds in a store. One whose name belongs to another store is left alone.
  func served(_ all: [StoredWorld], in persistence: Persistence) -> [StoredWorld] {
    all.filter { store(of: $0.name) === persistence }
  }
}
