/// Why bytes cannot be decoded, or a value cannot be encoded.
public enum StorageFailure: Error, Hashable {
  /// The bytes end before the value does.
  case cutShort
  /// The bytes are not a value of the type, for this reason.
  case damaged(String)
  /// A type's members or cases differ from those that were stored.
  case otherMember(found: String, expected: String)
  /// The list no longer contains a stored word.
  case unknownWord(String)
  /// Values are nested more deeply than ``ValueEncoder/deepest``.
  case tooDeep
  /// A type's own coding uses a feature that is not supported.
  case unsupported(String)
}
