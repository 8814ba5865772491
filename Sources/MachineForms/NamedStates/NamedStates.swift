import StateMachines

/// A change between named states of an object, and what happens around it.
///
/// Any change is allowed; there is no table of transitions. Setting the name that an object already has is a change as well.
public struct NamedStateChange: Hashable, Sendable {
  /// `nil` for an object without a state.
  public let from: String?
  /// `nil` if the object is to have no state.
  public let to: String?

  public init(from: String?, to: String?) {
    self.from = from
    self.to = to
  }

  /// Where in a change a block runs, and for which change.
  public enum Occasion: Hashable, Sendable {
    /// Of the change between the two; before everything else.
    case transitionTo(String, from: String)
    /// The object is about to have this state.
    case before(String)
    /// The object has this state now.
    case on(String)
    /// The change to this state has happened.
    case after(String)
    /// Of the change between the two; after everything else.
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

/// The state of an object by its name, and the blocks that run when it changes.
///
/// An object has it as a property, by which it conforms to ``NamedStateObject``.
public struct NamedStates {
  /// The present state; `nil` until one is set.
  public fileprivate(set) var current: String?

  /// Whether setting the state that the object already has is no change. Otherwise it is one, and its blocks run.
  public var skipsEqual: Bool

  private var blocks: [NamedStateChange.Occasion: [() -> Void]] = [:]

  public init(skipsEqual: Bool = false) {
    self.skipsEqual = skipsEqual
  }

  /// Adds a block to those of an occasion; they run in the order in which they were added.
  public mutating func add(_ occasion: NamedStateChange.Occasion, _ block: @escaping () -> Void) {
    blocks[occasion, default: []].append(block)
  }

  fileprivate func blocks(for occasion: NamedStateChange.Occasion) -> [() -> Void] { blocks[occasion] ?? [] }
}

/// An object that has a state with a name, and blocks of code around the changes: a state machine on any object.
///
/// One property is enough to become one:
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
/// It follows Shift, which adds such a property to every object of the Objective-C runtime. What Shift's documentation
/// promises is done here; its code did otherwise, in ways that are not repeated:
///
/// - It had room for one block per kind of occasion, so that a second one replaced the first. Here every name, and every pair of
///   names, has as many blocks as are added.
/// - It did not compare the names given to `before`, `on` and `after`: those blocks ran at every change.
/// - Registering `after` overwrote the block of `before`.
/// - `when(_:transitionsFrom:)` was compared with what `when(_:transitionsTo:)` had registered, so it hardly ever ran.
///
/// The order in which the occasions of a change come is that of its code: `when … transitionsTo`, `before`, the state is
/// stored, `on`, `after`, `when … transitionsFrom`.
///
/// Blocks that refer to the object keep it alive unless they hold it weakly.
public protocol NamedStateObject: AnyObject {
  /// Where the state and the blocks are kept.
  var namedStates: NamedStates { get set }
}

extension NamedStateObject {
  /// The state's name; `nil` until one is set.
  ///
  /// Setting it runs the blocks of this change. A block may set it again: that change happens at once, with all its
  /// blocks, and then the first one goes on with its own; one that was `before` still stores its state. Setting `nil`
  /// runs no block, as no block is for `nil`.
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

  /// Runs a block each time just before the object has this state.
  public func before(_ state: String, _ block: @escaping () -> Void) { namedStates.add(.before(state), block) }

  /// Runs a block each time the object gets this state, as soon as it has it.
  public func on(_ state: String, _ block: @escaping () -> Void) { namedStates.add(.on(state), block) }

  /// Runs a block each time the change to this state has happened.
  public func after(_ state: String, _ block: @escaping () -> Void) { namedStates.add(.after(state), block) }

  /// Runs a block before each change from `state` to `next`.
  public func when(_ state: String, transitionsTo next: String, _ block: @escaping () -> Void) {
    namedStates.add(.transitionTo(next, from: state), block)
  }

  /// Runs a block after each change from `previous` to `state`.
  public func when(_ state: String, transitionsFrom previous: String, _ block: @escaping () -> Void) {
    namedStates.add(.transitionFrom(previous, to: state), block)
  }

  private func run(_ occasion: NamedStateChange.Occasion) {
    // Taken out first, as a block may change what it was taken out of.
    let blocks = namedStates.blocks(for: occasion)
    for block in blocks { block() }
  }
}
