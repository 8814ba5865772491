import LineProtocol
import Simulator
import StateMachines

/// What a request is carried out with: the session that sent it, the realm that the session uses, its tag and its words.
///
/// It stands for the session and the realm without copying them, so that whoever has it can use both; a handler is a
/// method without parameters. It is made by ``Session/use(_:_:)`` and ``Session/useNoRealm(_:)`` for the length of a call.
struct RequestContext: ~Copyable {
  // Safety: both point to `inout` parameters of the one function that makes a context, which lends it to a closure. It can
  // be neither copied nor returned from there, so it does not outlive them, and nobody else has them meanwhile.
  private let sessionAddress: UnsafeMutablePointer<Session>
  private let realmAddress: UnsafeMutablePointer<Realm>?
  /// The tag of the request that is answered; empty without one.
  let tag: UnsafeRawBufferPointer
  /// The words behind the verb; none where they are not needed as text.
  let words: Words

  /// No tag.
  static var noTag: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  fileprivate init(_ session: UnsafeMutablePointer<Session>, _ realm: UnsafeMutablePointer<Realm>?) {
    sessionAddress = session
    realmAddress = realm
    tag = RequestContext.noTag
    words = Words()
  }

  private init(_ other: borrowing RequestContext, tag: UnsafeRawBufferPointer, _ words: Words) {
    sessionAddress = other.sessionAddress
    realmAddress = other.realmAddress
    self.tag = tag
    self.words = words
  }

  // These two lend another context instead of returning one, and out of line: the optimizer of Swift 6.3.1 fails where it
  // inlines a function that makes one of its own.

  /// Lends the same with another tag.
  @inline(never)
  func answering<Result>(_ tag: UnsafeRawBufferPointer, _ body: (borrowing RequestContext) -> Result) -> Result {
    body(RequestContext(self, tag: tag, words))
  }

  /// Lends the same with a request's tag and words.
  @inline(never)
  func answering(_ request: borrowing Request, _ body: (borrowing RequestContext) -> Void) {
    body(RequestContext(self, tag: request.tag, Words(request)))
  }

  var session: Session {
    @inline(__always) unsafeAddress { UnsafePointer(sessionAddress) }
    @inline(__always) nonmutating unsafeMutableAddress { sessionAddress }
  }

  /// - Precondition: The request's verb needs the world (``VerbRow/needs``).
  var realm: Realm {
    @inline(__always) unsafeAddress { UnsafePointer(presentRealm) }
    @inline(__always) nonmutating unsafeMutableAddress { presentRealm }
  }

  @inline(__always)
  private var presentRealm: UnsafeMutablePointer<Realm> {
    guard let realmAddress else { preconditionFailure("this verb was said to need no world") }
    return realmAddress
  }

  var environment: Environment { session.environment }
  var catalogue: Catalogue { environment.catalogue }
  var limits: Limits { environment.limits }
}

extension Session {
  /// Lends itself and the realm that it uses to `body`.
  @inline(__always)
  mutating func use<Result>(_ realm: inout Realm, _ body: (borrowing RequestContext) -> Result) -> Result {
    withUnsafeMutablePointer(to: &self) { session in
      withUnsafeMutablePointer(to: &realm) { realm in body(RequestContext(session, realm)) }
    }
  }

  /// The same while the realm is with a worker.
  mutating func useNoRealm<Result>(_ body: (borrowing RequestContext) -> Result) -> Result {
    withUnsafeMutablePointer(to: &self) { body(RequestContext($0, nil)) }
  }
}

/// The words of a request as text, for the verbs that are not on the hot path.
struct Words {
  let plain: [String]
  let keyed: [(key: String, value: String)]

  init() {
    plain = []
    keyed = []
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

  /// The plain word at a place; nil if there are not so many.
  subscript(_ place: Int) -> String? { place < plain.count ? plain[place] : nil }

  /// The value of a key; nil if it is not given.
  subscript(_ key: String) -> String? { keyed.first { $0.key == key }?.value }
}
