/// A type whose values own heap memory and know its size in bytes.
private protocol Weighty {
  var weight: Int { get }
}

/// The bytes of heap memory that a value owns: its texts, lists, sets, dictionaries and objects, and their contents.
///
/// Shared memory counts once for each value that refers to it. Values are followed to the depth ``deepest``, which also
/// ends a cycle of objects.
///
/// - Complexity: O(1) for a value without references; otherwise O(size of its contents), by reflection, which is slow.
func weight<T>(of value: T) -> Int { weight(of: value, depth: 0) }

/// The maximal depth of nested values; deeper ones are not counted.
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

/// The bytes of an array's header.
private let listHead = 32

extension String: Weighty {
  // A string of up to fifteen bytes is stored inline.
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

/// The bytes of a hash table of the standard library: its capacity is a power of two, of which three quarters are used.
package func tableBytes(capacity: Int, stride: Int) -> Int {
  if capacity == 0 { return 0 }
  var places = 2
  while places * 3 / 4 < capacity { places *= 2 }
  return 64 + places * stride + places / 8
}
