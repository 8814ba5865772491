/// Why bytes are not what they should be, or a value cannot be written.
public enum StorageFailure: Error, Hashable {
  /// The bytes end before the value does.
  case cutShort
  /// They are no value of the type, and what is wrong.
  case damaged(String)
  /// Values within values within values: more than ``ValueEncoder/deepest``.
  case tooDeep
  /// A type's own coding does what is not provided for.
  case unsupported(String)
}
