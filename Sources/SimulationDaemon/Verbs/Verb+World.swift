import LineProtocol

/// What verbs need of the world that their session uses.
extension Verb {
  /// Whether it is about what is in the present world, which must be there then.
  var asksTheWorld: Bool {
    switch self {
    case .new, .drop, .list, .count, .show, .can, .send, .cast, .wire, .unwire, .wires, .watch, .unwatch, .clock,
      .speed, .pause, .resume, .advance, .step, .agenda, .fire, .await, .expect, .undo, .goto, .journal, .graph,
      .coverage, .diff:
      true
    case .help, .kinds, .describe, .cancel, .activities, .world, .use, .worlds, .begin, .end, .quiet, .mode, .limits,
      .stats, .sync, .quit, .shutdown:
      false
    }
  }

  /// Whether it waits while the world is with a worker.
  var needsTheWorld: Bool {
    switch self {
    case .describe, .new, .drop, .list, .count, .show, .can, .send, .cast, .wire, .unwire, .wires, .watch, .unwatch,
      .journal, .graph, .coverage, .clock, .speed, .pause, .resume, .advance, .step, .agenda, .fire, .await, .expect,
      .undo, .goto, .limits, .stats, .sync:
      true
    case .help, .kinds, .cancel, .activities, .world, .use, .worlds, .diff, .begin, .end, .quiet, .mode, .quit,
      .shutdown:
      false
    }
  }

  /// Whether it tells something and changes nothing: without a reader there is no sense in it.
  var onlyReads: Bool {
    switch self {
    case .help, .kinds, .describe, .list, .count, .show, .can, .wires, .watch, .unwatch, .journal, .graph, .coverage,
      .agenda, .await, .expect, .worlds, .diff, .limits, .stats, .sync, .activities:
      true
    case .new, .drop, .send, .cast, .wire, .unwire, .clock, .speed, .pause, .resume, .advance, .step, .fire, .cancel,
      .undo, .goto, .world, .use, .begin, .end, .quiet, .mode, .quit, .shutdown:
      false
    }
  }

  /// Whether it may be asked of a world in which nothing can change; an `await` moves a virtual clock.
  var leavesTheWorldAlone: Bool { if case .await = self { false } else { onlyReads } }

  /// Whether it is done on the event loop in any case: it is short, or concerns more than the one world.
  var isAlwaysShort: Bool {
    switch self {
    case .clock, .speed, .pause, .resume, .limits, .stats, .sync: true
    case .help, .kinds, .describe, .new, .drop, .list, .count, .show, .can, .send, .cast, .wire, .unwire, .wires,
      .watch, .unwatch, .journal, .graph, .coverage, .advance, .step, .agenda, .fire, .await, .cancel, .expect, .undo,
      .goto, .world, .use, .worlds, .diff, .begin, .end, .quiet, .mode, .activities, .quit, .shutdown:
      false
    }
  }
}
