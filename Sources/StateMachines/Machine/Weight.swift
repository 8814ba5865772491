/// Something whose value stands elsewhere in memory, and that knows how many bytes that takes.
private protocol Weighty {
  var weight: Int { get }
}

/// The bytes of memory that a value keeps beside its own: of texts, lists, sets, dictionaries and objects in it, and in
/// those in turn.
///
/// What several values share counts for each of them. An object counts with what it holds, and with the same object
/// within itself not followed any further than ``deepest``.
///
/// - Complexity: O(1) for a value without references; otherwise O(what it holds), by reflection, which is slow.
func weight<T>(of value: T) -> Int { weight(of: value, depth: 0) }

/// Values within one another; deeper ones are not counted.
private let deepest = 32

private func weight<T>(of value: T, depth: Int) -> Int {
  if _isPOD(T.self) || depth > deepest { return 0 }
  if let value = value as? any Weighty { return value.weight }
  let mirror = Mirror(reflecting: value)
  let own = mirror.displayStyle == .class ? 48 : 0
  return mirror.children.reduce(own) { $0 + weight(ofChild: $1.value, depth: depth + 1) }
}

private func weight(ofChild value: Any, depth: Int) -> Int {
  func opened<T>(_ value: T) -> Int { weight(of: value, depth: depth) }
  return _openExistential(value, do: opened)
}

/// What stands before the elements of a list in memory.
private let listHead = 32

extension String: Weighty {
  // Up to fifteen bytes stand in the value itself.
  fileprivate var weight: Int { utf8.count <= 15 ? 0 : listHead + utf8.count }
}

extension Array: Weighty {
  fileprivate var weight: Int {
    if isEmpty { return 0 }
    let own = listHead + capacity * MemoryLayout<Element>.stride
    return _isPOD(Element.self) ? own : reduce(own) { $0 + StateMachines.weight(of: $1) }
  }
}

extension Set: Weighty {
  fileprivate var weight: Int {
    if isEmpty { return 0 }
    let own = tableBytes(capacity: capacity, stride: MemoryLayout<Element>.stride)
    return _isPOD(Element.self) ? own : reduce(own) { $0 + StateMachines.weight(of: $1) }
  }
}

extension Dictionary: Weighty {
  fileprivate var weight: Int {
    if isEmpty { return 0 }
    let own = tableBytes(capacity: capacity, stride: MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
    if _isPOD(Key.self), _isPOD(Value.self) { return own }
    return reduce(own) { $0 + StateMachines.weight(of: $1.key) + StateMachines.weight(of: $1.value) }
  }
}

/// The bytes of a hash table of the standard library: its places are a power of two, of which three quarters are used.
package func tableBytes(capacity: Int, stride: Int) -> Int {
  if capacity == 0 { return 0 }
  var places = 2
  while places * 3 / 4 < capacity { places *= 2 }
  return 64 + places * stride + places / 8
}
