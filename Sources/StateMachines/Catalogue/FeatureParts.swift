/// What flows between the parts of an MVI feature, by its names: for a picture of the parts.
///
/// The parts are the same in every feature; a kind says what its own hand on. A part that hands on nothing is not in
/// the feature, and not in the picture: the bootstrapper, the post-processor and the news publisher.
public struct FeatureParts: Sendable {
  /// What the view sends.
  public let wishes: [String]
  /// What an outside service reports to the bootstrapper, which makes an action of it.
  public let signals: [String]
  /// The actions of the bootstrapper: its first ones, and those that it makes of signals.
  public let bootstrapper: [String]
  /// What the actor says has happened.
  public let effects: [String]
  /// The actions that follow from effects.
  public let postProcessor: [String]
  public let news: [String]

  public init(
    wishes: [String], signals: [String] = [], bootstrapper: [String] = [], effects: [String],
    postProcessor: [String] = [], news: [String] = []
  ) {
    self.wishes = wishes
    self.signals = signals
    self.bootstrapper = bootstrapper
    self.effects = effects
    self.postProcessor = postProcessor
    self.news = news
  }
}
