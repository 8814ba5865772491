/// Why bytes are not what they should be, or a value cannot be written.
public enum StorageFailure: Error, Hashable {
  /// The bytes end before the value does.
  case cutShort
  /// They are no value of the type, and what is wrong.
  case damaged(String)
  /// A type has other members than it had, or other cases.
  case otherMember(found: String, expected: String)
  /// A word that its list does not have any more.
  case unknownWord(String)
  /// Values within values within values: more than ``ValueEncoder/deepest``.
  case tooDeep
  /// A type's own coding does what is not provided for.
  case unsupported(String)
}
