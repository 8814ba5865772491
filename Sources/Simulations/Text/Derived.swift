/// What is made of the parameters beside it when they are set, so that a step finds it made.
///
/// It follows from them, so it makes no difference when parameters are compared.
struct Derived<Value: Sendable>: Hashable, Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  static func == (left: Self, right: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
