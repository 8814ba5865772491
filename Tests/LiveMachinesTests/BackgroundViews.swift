import LiveMachines
import Simulations

#if canImport(SwiftUI)
  import SwiftUI
#endif
#if canImport(UIKit)
  import UIKit
#endif

/// The background of a document in SwiftUI.
struct BackgroundView: View {
  let background: LiveMachine<Background>
  @State var shown = Background.State.none

  var body: some View {
    Group {
      switch shown {
      case .none: EmptyView()
      case .fetching: ProgressView()
      case .found(let image, url: _): Image(image)
      case .failed: Text(shown.failureReason ?? "")
      }
    }
    .task { for await change in background.changes { shown = change.to } }
  }
}

/// The background of a document in UIKit.
final class BackgroundController: UIViewController {
  var background: LiveMachine<Background>?
  let spinner = UIActivityIndicatorView()
  let picture = UIImageView()
  let reason = UILabel()

  override func viewDidLoad() {
    super.viewDidLoad()
    guard let changes = background?.changes else { return }
    Task { for await change in changes { show(change.to) } }
  }

  func show(_ state: Background.State) {
    if state.urlBeingFetched == nil { spinner.stopAnimating() } else { spinner.startAnimating() }
    picture.image = state.image.flatMap { UIImage(named: $0) }
    reason.text = state.failureReason
  }
}

/// Performs the downloads that a change of the machine asks for.
func perform(
  _ change: LiveChange<Background>, of background: LiveMachine<Background>, by load: (String) async throws -> String?
) async {
  for case .download(let url) in change.outputs {
    do {
      background.send(.fetchSucceeded(url, try await load(url)))
    } catch {
      background.send(.fetchFailed(url, "\(error)"))
    }
  }
}
