// What the views of `BackgroundViews.swift` use of SwiftUI and UIKit, declared as there, for systems that have neither. A
// stand-in keeps what it shows as text.

#if !canImport(SwiftUI)
  @MainActor
  protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
  }

  extension Never: View {
    var body: Never { self }
  }

  @resultBuilder
  enum ViewBuilder {
    static func buildBlock<V: View>(_ view: V) -> V { view }
    static func buildEither<A: View, B: View>(first: A) -> ConditionalView<A, B> { .first(first) }
    static func buildEither<A: View, B: View>(second: B) -> ConditionalView<A, B> { .second(second) }
  }

  /// A view without a body, and what can be seen of it.
  protocol DrawnView: View where Body == Never {
    var drawn: String { get }
  }

  extension DrawnView {
    var body: Never { preconditionFailure("a view that is drawn has no body") }
  }

  extension View {
    /// What can be seen.
    var picture: String { (self as? any DrawnView)?.drawn ?? body.picture }

    func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View {
      TaskView(content: self, action: action)
    }
  }

  struct TaskView<Content: View>: DrawnView {
    let content: Content
    let action: @Sendable () async -> Void
    var drawn: String { content.picture }
  }

  enum ConditionalView<A: View, B: View>: DrawnView {
    case first(A)
    case second(B)

    var drawn: String {
      switch self {
      case .first(let view): view.picture
      case .second(let view): view.picture
      }
    }
  }

  struct Group<Content: View>: DrawnView {
    private let content: Content
    init(@ViewBuilder content: () -> Content) { self.content = content() }
    var drawn: String { content.picture }
  }

  struct EmptyView: DrawnView {
    let drawn = ""
  }

  struct ProgressView: DrawnView {
    let drawn = "spinner"
  }

  struct Image: DrawnView {
    let drawn: String
    init(_ name: String) { drawn = "picture \(name)" }
  }

  struct Text: DrawnView {
    let drawn: String
    init(_ text: String) { drawn = "text \(text)" }
  }

  @propertyWrapper
  struct State<Value> {
    private final class Box {
      var value: Value
      init(_ value: Value) { self.value = value }
    }

    private let box: Box
    init(wrappedValue: Value) { box = Box(wrappedValue) }
    var wrappedValue: Value {
      get { box.value }
      nonmutating set { box.value = newValue }
    }
  }
#endif

#if !canImport(UIKit)
  @MainActor
  class UIViewController {
    func viewDidLoad() {}
  }

  @MainActor
  final class UIActivityIndicatorView {
    private(set) var isAnimating = false
    func startAnimating() { isAnimating = true }
    func stopAnimating() { isAnimating = false }
  }

  final class UIImage {
    let name: String
    init?(named name: String) { self.name = name }
  }

  @MainActor
  final class UIImageView {
    var image: UIImage?
  }

  @MainActor
  final class UILabel {
    var text: String?
  }
#endif
