import LineProtocol
import Simulator
import StateMachines

/// The context of a request: the session that sent it, the session's world, the tag and the words.
///
/// It refers to the session and the world without copying them, so a handler is a method without parameters.
/// ``Session/use(_:_:)`` and ``Session/useWithoutWorld(_:)`` make it for the length of a call.
struct RequestContext: ~Copyable {
  // Safety: both point to `inout` parameters of the function that makes the context and lends it to a closure. The
  // closure can neither copy nor return it, so it does not outlive them, and nobody else uses them meanwhile.
  private let sessionAddress: UnsafeMutablePointer<Session>
  private let worldAddress: UnsafeMutablePointer<LiveWorld>?
  /// The request's tag; empty if it has none.
  let tag: UnsafeRawBufferPointer
  /// The words after the verb; none if they are not needed as text.
  let words: Words

  static var noTag: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  fileprivate init(_ session: UnsafeMutablePointer<Session>, _ live: UnsafeMutablePointer<LiveWorld>?) {
    sessionAddress = session
    worldAddress = live
    tag = RequestContext.noTag
    words = Words()
  }

  private init(_ other: borrowing RequestContext, tag: UnsafeRawBufferPointer, _ words: Words) {
    sessionAddress = other.sessionAddress
    worldAddress = other.worldAddress
    self.tag = tag
    self.words = words
  }

  // These two lend a context instead of returning it, and are not inlined: the optimizer of Swift 6.3.1 fails when it
  // inlines or specializes a function that makes one.

  /// Lends the context with another tag.
  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  func answering<Result>(_ tag: UnsafeRawBufferPointer, _ body: (borrowing RequestContext) -> Result) -> Result {
    body(RequestContext(self, tag: tag, words))
  }

  /// Lends the context with a request's tag and words.
  @inline(never)
  func answering(_ request: borrowing Request, _ body: (borrowing RequestContext) -> Void) {
    body(RequestContext(self, tag: request.tag, Words(request)))
  }

  /// Lends the context without one of the keys.
  @inline(never)
  func without(_ key: String, _ body: (borrowing RequestContext) -> Void) {
    body(RequestContext(self, tag: tag, Words(plain: words.plain, keyed: words.keyed.filter { $0.key != key })))
  }

  var session: Session {
    @inline(__always) unsafeAddress { UnsafePointer(sessionAddress) }
    @inline(__always) nonmutating unsafeMutableAddress { sessionAddress }
  }

  /// - Precondition: The request's verb needs the world (``VerbRow/needs``).
  var live: LiveWorld {
    @inline(__always) unsafeAddress { UnsafePointer(presentWorld) }
    @inline(__always) nonmutating unsafeMutableAddress { presentWorld }
  }

  @inline(__always)
  private var presentWorld: UnsafeMutablePointer<LiveWorld> {
    guard let worldAddress else { preconditionFailure("this verb was said to need no world") }
    return worldAddress
  }

  var environment: Environment { session.environment }
  /// The kinds that requests name: those of the world, which hide those of the folder, and those of the program.
  ///
  /// While the world is lent, those that it had before.
  var catalogue: Catalogue {
    let own = ownKinds
    return own.isEmpty ? environment.offered : environment.offered.with(own)
  }
  var ownKinds: [Kind] { worldAddress == nil ? session.kindsOfLentWorld : live.world.ownKinds }
  /// A kind that requests name.
  func entry(named name: String) -> CatalogueEntry? {
    live.world.definition(named: name).map { .machine($0.kind) } ?? environment.offered[name]
  }

  var limits: Limits { environment.limits }
}

extension Session {
  /// Lends itself and its world to `body`.
  @inline(__always)
  mutating func use<Result>(_ live: inout LiveWorld, _ body: (borrowing RequestContext) -> Result) -> Result {
    // A request may lend both again while it runs.
    let outer = live.share.guest
    live.share.guest = share.quota
    defer { live.share.guest = outer }
    return withUnsafeMutablePointer(to: &self) { session in
      withUnsafeMutablePointer(to: &live) { live in body(RequestContext(session, live)) }
    }
  }

  /// The same while the world is lent.
  ///
  /// - Parameter kinds: Those that the world had when it was lent.
  mutating func useWithoutWorld<Result>(
    _ kinds: [Kind], _ body: (borrowing RequestContext) -> Result
  ) -> Result {
    kindsOfLentWorld = kinds
    defer { kindsOfLentWorld = [] }
    return withUnsafeMutablePointer(to: &self) { body(RequestContext($0, nil)) }
  }
}

/// The words of a request as text, for verbs off the hot path.
struct Words {
  let plain: [String]
  let keyed: [(key: String, value: String)]

  init(plain: [String] = [], keyed: [(key: String, value: String)] = []) {
    self.plain = plain
    self.keyed = keyed
  }

  init(_ request: borrowing Request) {
    var plain: [String] = []
    var keyed: [(key: String, value: String)] = []
    for word in request.words {
      let text = String(decoding: request.bytes(of: word), as: UTF8.self)
      if word.isPlain {
        plain.append(text)
      } else {
        keyed.append((String(decoding: request.key(of: word), as: UTF8.self), text))
      }
    }
    self.plain = plain
    self.keyed = keyed
  }

  /// The plain word at an index; nil if there are fewer.
  subscript(_ place: Int) -> String? { place < plain.count ? plain[place] : nil }

  /// The value of a key; nil if it is not given.
  subscript(_ key: String) -> String? { keyed.first { $0.key == key }?.value }
}
