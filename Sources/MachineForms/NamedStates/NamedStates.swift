import StateMachines

/// A change between named states of an object, with the occasions at which blocks run.
///
/// Any change is allowed; there is no table of transitions. Setting the current name again is a change as well.
public struct NamedStateChange: Hashable, Sendable {
  /// `nil` if the object had no state.
  public let from: String?
  /// `nil` if the object gets no state.
  public let to: String?

  public init(from: String?, to: String?) {
    self.from = from
    self.to = to
  }

  /// A point in a change at which blocks run.
  public enum Occasion: Hashable, Sendable {
    /// Before everything else, for the change between two states.
    case transitionTo(String, from: String)
    /// Before the object has this state.
    case before(String)
    /// As soon as the object has this state.
    case on(String)
    /// After the change to this state.
    case after(String)
    /// After everything else, for the change between two states.
    case transitionFrom(String, to: String)
  }

  /// The occasions before the state is stored, in order.
  public var before: [Occasion] {
    guard let to else { return [] }
    return (from.map { [.transitionTo(to, from: $0)] } ?? []) + [.before(to)]
  }

  /// The occasions after the state is stored, in order.
  public var after: [Occasion] {
    guard let to else { return [] }
    return [.on(to), .after(to)] + (from.map { [.transitionFrom($0, to: to)] } ?? [])
  }
}

/// The state of an object by its name, with the blocks that run when it changes.
///
/// A class conforms to ``NamedStateObject`` by a property of this type.
public struct NamedStates {
  /// The current state; `nil` until one is set.
  public fileprivate(set) var current: String?

  /// Whether setting the current state again does nothing. If `false`, it is a change and runs its blocks.
  public var skipsEqual: Bool

  private var blocks: [NamedStateChange.Occasion: [() -> Void]] = [:]

  public init(skipsEqual: Bool = false) {
    self.skipsEqual = skipsEqual
  }

  /// Adds a block to an occasion. Blocks run in the order in which they were added.
  public mutating func add(_ occasion: NamedStateChange.Occasion, _ block: @escaping () -> Void) {
    blocks[occasion, default: []].append(block)
  }

  fileprivate func blocks(for occasion: NamedStateChange.Occasion) -> [() -> Void] { blocks[occasion] ?? [] }
}

/// An object with a named state and blocks that run around its changes: a state machine on any object.
///
/// A class conforms by one property:
///
/// ```swift
/// final class Download: NamedStateObject {
///   var namedStates = NamedStates()
/// }
/// let download = Download()
/// download.on("active") { print("started") }
/// download.when("active", transitionsTo: "done") { print("about to finish") }
/// download.shiftState = "active"   // started
/// ```
///
/// It follows the library Shift, which adds such a property to every object of the Objective-C runtime. It does what
/// Shift's documentation promises and avoids these defects of Shift's code:
///
/// - Shift had room for one block per kind of occasion, so a second block replaced the first. Here every name, and
///   every pair of names, has any number of blocks.
/// - Shift did not compare the names given to `before`, `on` and `after`, so those blocks ran at every change.
/// - Registering `after` overwrote the block of `before`.
/// - Shift compared `when(_:transitionsFrom:)` with registrations of `when(_:transitionsTo:)`, so its block hardly ever
///   ran.
///
/// The occasions of a change have the order of Shift's code: `when … transitionsTo`, `before`, the state is stored,
/// `on`, `after`, `when … transitionsFrom`.
///
/// A block that refers to the object must hold it weakly, or it keeps the object alive.
public protocol NamedStateObject: AnyObject {
  /// The storage of the state and the blocks.
  var namedStates: NamedStates { get set }
}

extension NamedStateObject {
  /// The name of the state; `nil` until one is set.
  ///
  /// Setting it runs the blocks of the change. A block may set it again: that change happens immediately with all its
  /// blocks, and then the outer change continues. An outer change that was at `before` still stores its state
  /// afterwards. Setting `nil` runs no blocks.
  public var shiftState: String? {
    get { namedStates.current }
    set {
      let change = NamedStateChange(from: namedStates.current, to: newValue)
      if namedStates.skipsEqual && change.from == change.to { return }
      for occasion in change.before { run(occasion) }
      namedStates.current = newValue
      for occasion in change.after { run(occasion) }
    }
  }

  /// Adds a block that runs just before the object gets this state.
  public func before(_ state: String, _ block: @escaping () -> Void) { namedStates.add(.before(state), block) }

  /// Adds a block that runs as soon as the object has this state.
  public func on(_ state: String, _ block: @escaping () -> Void) { namedStates.add(.on(state), block) }

  /// Adds a block that runs after each change to this state.
  public func after(_ state: String, _ block: @escaping () -> Void) { namedStates.add(.after(state), block) }

  /// Adds a block that runs before each change from `state` to `next`.
  public func when(_ state: String, transitionsTo next: String, _ block: @escaping () -> Void) {
    namedStates.add(.transitionTo(next, from: state), block)
  }

  /// Adds a block that runs after each change from `previous` to `state`.
  public func when(_ state: String, transitionsFrom previous: String, _ block: @escaping () -> Void) {
    namedStates.add(.transitionFrom(previous, to: state), block)
  }

  private func run(_ occasion: NamedStateChange.Occasion) {
    // Copied first, since a block may add blocks.
    let blocks = namedStates.blocks(for: occasion)
    for block in blocks { block() }
  }
}
