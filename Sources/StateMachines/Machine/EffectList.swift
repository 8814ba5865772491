/// The effects of a step, in the order of their requests.
///
/// The first eight are stored inline, and removing all keeps the storage. An array would check for uniqueness at each
/// append, and a step has one to three effects.
public struct EffectList: RandomAccessCollection, Sendable {
  /// Eight places. It is a tuple because a fixed array needs a newer system than an app may have.
  @usableFromInline typealias Places = (Effect, Effect, Effect, Effect, Effect, Effect, Effect, Effect)

  @usableFromInline var first: Places
  /// The effects from the ninth on, followed by leftovers of earlier steps.
  @usableFromInline var others: ContiguousArray<Effect> = []
  @usableFromInline var length = 0

  init() {
    let unused = Effect.disarm(timer: 0, key: 0)
    first = (unused, unused, unused, unused, unused, unused, unused, unused)
  }

  public var startIndex: Int { 0 }

  @inlinable
  public var endIndex: Int { length }

  @inlinable
  public internal(set) subscript(place: Int) -> Effect {
    get {
      precondition(place >= 0 && place < length)
      return place < 8 ? inlined(place) : others[place &- 8]
    }
    set {
      precondition(place >= 0 && place < length)
      if place < 8 { setInlined(place, newValue) } else { others[place &- 8] = newValue }
    }
  }

  // Safety: the memory of a tuple whose elements have one type is also bound to that type, one element per stride. The
  // callers pass places from 0 to 7, and neither pointer leaves its closure.

  @inlinable
  @inline(__always)
  func inlined(_ place: Int) -> Effect {
    withUnsafePointer(to: first) { UnsafeRawPointer($0).assumingMemoryBound(to: Effect.self)[place] }
  }

  @inlinable
  @inline(__always)
  mutating func setInlined(_ place: Int, _ effect: Effect) {
    withUnsafeMutablePointer(to: &first) {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: Effect.self)[place] = effect
    }
  }

  @inlinable
  @inline(__always)
  mutating func append(_ effect: Effect) {
    if length < 8 { setInlined(length, effect) } else { appendBehind(effect) }
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

  /// Moves the effects from `middle` on before those from `first` on.
  @inlinable
  @inline(__always)
  package func putEffects(from middle: Int, before first: Int) {
    guard first < middle, middle < effectCount else { return }
    record.pointee.effects.rotate(first, middle)
  }

  /// Removes the effects in a range.
  @usableFromInline
  package func withdrawEffects(_ range: Range<Int>) {
    record.pointee.effects.rotate(range.lowerBound, range.upperBound)
    record.pointee.effects.truncate(to: effectCount - range.count)
  }
}

extension EffectList {
  /// Moves the effects from `middle` on before those from `first` on; both groups keep their order.
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
