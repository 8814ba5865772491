/// Effects in the order in which they were asked for.
///
/// The first few stand in the list itself, and an emptied list keeps its elements: an array would ask at each append
/// whether it is shared, and a step has one to three effects.
public struct EffectList: RandomAccessCollection, Sendable {
  @usableFromInline var first = InlineArray<8, Effect>(repeating: .disarm(timer: 0, key: 0))
  /// Those from the ninth on, and some of earlier steps behind them.
  @usableFromInline var others: ContiguousArray<Effect> = []
  @usableFromInline var length = 0

  init() {}

  public var startIndex: Int { 0 }

  @inlinable
  public var endIndex: Int { length }

  @inlinable
  public internal(set) subscript(place: Int) -> Effect {
    get {
      precondition(place < length)
      return place < 8 ? first[place] : others[place &- 8]
    }
    set {
      precondition(place < length)
      if place < 8 { first[place] = newValue } else { others[place &- 8] = newValue }
    }
  }

  @inlinable
  @inline(__always)
  mutating func append(_ effect: Effect) {
    if length < 8 { first[length] = effect } else { appendBehind(effect) }
    length &+= 1
  }

  @usableFromInline
  @inline(never)
  mutating func appendBehind(_ effect: Effect) {
    if length - 8 < others.count { others[length - 8] = effect } else { others.append(effect) }
  }

  mutating func removeAll() {
    length = 0
  }
}

extension Step {
  @inlinable
  package var effectCount: Int { record.pointee.effects.endIndex }

  /// Lets effects take place before earlier ones, from `first` on.
  @inlinable
  @inline(__always)
  package func putEffects(from middle: Int, before first: Int) {
    guard first < middle, middle < effectCount else { return }
    record.pointee.effects.rotate(first, middle)
  }

  /// Takes back what was asked for in a range of places.
  @usableFromInline
  package func withdrawEffects(_ range: Range<Int>) {
    record.pointee.effects.rotate(range.lowerBound, range.upperBound)
    record.pointee.effects.truncate(to: effectCount - range.count)
  }
}

extension EffectList {
  /// The effects from `middle` on are put before those from `first` on; both keep their order.
  @usableFromInline
  mutating func rotate(_ first: Int, _ middle: Int) {
    reverse(first..<middle)
    reverse(middle..<length)
    reverse(first..<length)
  }

  private mutating func reverse(_ range: Range<Int>) {
    var (low, high) = (range.lowerBound, range.upperBound - 1)
    while low < high {
      (self[low], self[high]) = (self[high], self[low])
      (low, high) = (low + 1, high - 1)
    }
  }

  mutating func truncate(to count: Int) {
    length = count
  }
}
