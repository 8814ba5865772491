public import MachineForms
public import StateMachines

/// The feature that loads a list page by page. ``Pagination`` uses it, and it can be used alone.
///
/// It does not fetch. An action that is taken keeps its stream open. The caller fetches, and delivers `itemsDidLoad`
/// with the items ``merged(_:count:isLast:)``, or `itemsLoadingDidFail`.
public struct PaginationFeature: Feature {
  public enum State: StateWithData {
    /// Nothing was requested.
    case initial
    /// The first page is on its way, and nothing is shown.
    case loading
    /// Items are shown; the option tells what is under way, or failed, beside them.
    case content(Items, Option?)
    /// The first page could not be loaded, or a refresh failed.
    case error(String)

    public enum Name: NamedCases {
      case initial, loading, content, refreshing, nextPageLoading, nextPageLoadingError, error

      public static var words: [String] {
        allCases.map { name in
          switch name {
          case .refreshing, .nextPageLoading, .nextPageLoadingError: "content.\(name)"
          case .initial, .loading, .content, .error: "\(name)"
          }
        }
      }
    }

    public var name: Name {
      switch self {
      case .initial: .initial
      case .loading: .loading
      case .content(_, nil): .content
      case .content(_, .refreshing): .refreshing
      case .content(_, .nextPageLoading): .nextPageLoading
      case .content(_, .nextPageLoadingError): .nextPageLoadingError
      case .error: .error
      }
    }

    public var data: String? {
      switch self {
      case .content(let items, nil): "\(items.elements)"
      case .error(let error): error
      case .initial, .loading, .content: nil
      }
    }

    public static var carriesData: Bool { true }
  }

  /// The loaded items: the number of elements, and the page that follows.
  public struct Items: Hashable, Sendable, Codable {
    public var elements: Int
    /// `nil` after the last page.
    public var nextPageIndex: Int?

    public init(elements: Int, nextPageIndex: Int?) {
      self.elements = elements
      self.nextPageIndex = nextPageIndex
    }
  }

  public enum Option: Hashable, Sendable, Codable {
    /// The first page is on its way, and will replace everything.
    case refreshing
    /// The next page is on its way.
    case nextPageLoading
    /// The next page could not be loaded.
    case nextPageLoadingError(String)
  }

  /// Elements are numbered from 1.
  public enum Wish: Hashable, Sendable, Codable { case load(isNextPage: Bool), refresh, select(Int) }

  public enum Effect: Hashable, Sendable {
    case itemsLoadingDidStart(isNextPage: Bool), itemsRefreshingDidStart
    case itemsDidLoad(Items), itemsLoadingDidFail(String, isPaginationError: Bool)
    case itemSelected(Int)
  }

  public enum News: Hashable, Sendable { case toast(String), selected(Int) }

  /// What the server of the list reports.
  public enum Signal: Hashable, Sendable { case listChanged }

  /// Whether only a refresh is taken after a failed next page, too.
  let isStrict: Bool
  /// Whether a failed refresh keeps the items, and reports it in news.
  let keepsOnRefreshError: Bool

  public init(isStrict: Bool = false, keepsOnRefreshError: Bool = false) {
    self.isStrict = isStrict
    self.keepsOnRefreshError = keepsOnRefreshError
  }

  public func bootstrapper(_ signal: Signal) -> Wish? {
    switch signal {
    case .listChanged: .refresh
    }
  }

  public func actor(_ state: State, _ wish: Wish, _ effects: inout Effects<Effect>) {
    if refusal(of: wish, in: state) != nil { return }
    switch wish {
    case .load(let isNextPage):
      effects.emit(.itemsLoadingDidStart(isNextPage: isNextPage))
      effects.later()
    case .refresh:
      effects.emit(.itemsRefreshingDidStart)
      effects.later()
    case .select(let number): effects.emit(.itemSelected(number))
    }
  }

  /// The reason why a wish is refused; `nil` if it is taken.
  public func refusal(of wish: Wish, in state: State) -> String? {
    let isProcessing = "a page is being loaded"
    switch wish {
    case .select(let number):
      return number > 0 && number <= state.items?.elements ?? 0 ? nil : "no element \(number) is shown"
    case .refresh: return state.isProcessing ? isProcessing : nil
    case .load(let isNextPage):
      if state.isProcessing { return isProcessing }
      if let error = loadingError(of: state) { return "loading has failed (\(error)); send refresh" }
      if !isNextPage || state.canLoadNextPage { return nil }
      return state.items == nil ? "the first page is not loaded yet" : "the last page is loaded already"
    }
  }

  /// The error that forbids loading.
  public func loadingError(of state: State) -> String? {
    switch state {
    case .error(let error): error
    case .content(_, .nextPageLoadingError(let error)): isStrict ? error : nil
    case .initial, .loading, .content: nil
    }
  }

  /// The page that an open stream fetches.
  public func page(of stream: FeatureStore<PaginationFeature>.Stream) -> Int {
    stream.action == .load(isNextPage: true) ? stream.state.items?.nextPageIndex ?? 0 : 0
  }

  /// The items after a page of `count` elements was loaded. A first page replaces all; a next page follows the items
  /// present when the wish was taken. A sum beyond `Int.max` is `Int.max`.
  public func merged(_ stream: FeatureStore<PaginationFeature>.Stream, count: Int, isLast: Bool) -> Items {
    let page = page(of: stream)
    let before = page == 0 ? 0 : stream.state.items?.elements ?? 0
    let (sum, overflows) = before.addingReportingOverflow(count)
    return Items(elements: overflows ? .max : sum, nextPageIndex: isLast || page == .max ? nil : page + 1)
  }

  public func reducer(_ state: State, _ effect: Effect) -> State {
    switch effect {
    case .itemsLoadingDidStart(isNextPage: false): .loading
    case .itemsLoadingDidStart(isNextPage: true):
      if let items = state.items { .content(items, .nextPageLoading) } else { state }
    case .itemsRefreshingDidStart: if let items = state.items { .content(items, .refreshing) } else { .loading }
    case .itemsDidLoad(let items): .content(items, nil)
    case .itemsLoadingDidFail(let error, isPaginationError: true):
      if let items = state.items { .content(items, .nextPageLoadingError(error)) } else { state }
    case .itemsLoadingDidFail(let error, isPaginationError: false):
      if keepsOnRefreshError, let items = state.items { .content(items, nil) } else { .error(error) }
    case .itemSelected: state
    }
  }

  public func newsPublisher(_ wish: Wish, _ effect: Effect, _ state: State) -> News? {
    switch effect {
    case .itemsLoadingDidFail(let error, isPaginationError: false): state.items == nil ? nil : .toast(error)
    case .itemSelected(let number): .selected(number)
    case .itemsLoadingDidFail(_, isPaginationError: true), .itemsLoadingDidStart, .itemsDidLoad,
      .itemsRefreshingDidStart:
      nil
    }
  }
}

extension PaginationFeature.State {
  /// Whether a page is on its way.
  public var isProcessing: Bool {
    switch self {
    case .loading, .content(_, .refreshing), .content(_, .nextPageLoading): true
    case .initial, .content(_, .nextPageLoadingError), .content(_, nil), .error: false
    }
  }

  /// Whether items are shown, and more follow.
  public var canLoadNextPage: Bool { items?.nextPageIndex != nil }

  /// The items that are shown.
  public var items: PaginationFeature.Items? { if case .content(let items, _) = self { items } else { nil } }

  /// The error of the next page.
  public var pageError: String? {
    if case .content(_, .nextPageLoadingError(let error)) = self { error } else { nil }
  }
}
