import LiveMachines
import Simulations
import TestSupport
import Testing

#if !canImport(SwiftUI) && !canImport(UIKit)
  /// One machine behind two views: the logic does not change when the view does.
  @MainActor
  struct BackgroundViewsTests {
    private let background = LiveMachine(Background(), clock: ManualClock()) { $0.isSimulated = false }

    private var inSwiftUI: String { BackgroundView(background: background, shown: background.state).picture }

    private var inUIKit: String {
      let controller = BackgroundController()
      controller.show(background.state)
      let parts = [
        controller.spinner.isAnimating ? "spinner" : nil, controller.picture.image.map { "picture \($0.name)" },
        controller.reason.text.map { "text \($0)" },
      ]
      return parts.compactMap(\.self).joined(separator: ", ")
    }

    @Test("both views show the same picture in each state")
    func same() {
      let story: [(Background.Event, String)] = [
        (.backgroundChanged("http://slow/1"), "spinner"),
        (.backgroundChanged("http://fast/2"), "spinner"),
        (.fetchSucceeded("http://fast/2", "beach"), "picture beach"),
        (.fetchSucceeded("http://slow/1", "forest"), "picture beach"),
        (.fetchFailed("http://slow/1", "timeout"), "text couldn't set background: timeout"),
        (.backgroundChanged(nil), ""),
      ]
      for (event, picture) in story {
        background.send(event)
        expectEqual(inSwiftUI, picture)
        expectEqual(inUIKit, picture)
      }
    }

    @Test("a download is performed when the machine asks for it, and its answer is an event")
    func performs() async {
      struct Lost: Error {}
      await perform(background.send(.backgroundChanged("http://fast/1")), of: background) { _ in "forest" }
      expectEqual(inSwiftUI, "picture forest")
      await perform(background.send(.backgroundChanged("http://lost/2")), of: background) { _ in throw Lost() }
      expectEqual(inUIKit, "text couldn't set background: Lost()")
    }
  }
#endif
