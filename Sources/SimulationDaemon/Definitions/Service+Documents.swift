import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Lets workers read long documents without the worlds that they are for, so that only their own clients wait.
extension Service {
  /// Begins to read the document of a client's `define`, unless it is short or was read; when it is its turn, if another
  /// one of the same user is being read.
  ///
  /// The client's activity is away meanwhile, and goes on to its end even if the client leaves; `cancel` ends it.
  func readDocument(of client: Client) {
    guard !workers.areInline, client.session.activity.isUnreadDocument,
      case .deferred(let deferred) = client.session.activity,
      case .definition(let line, let document) = deferred.requests
    else { return }
    if readingDocuments.contains(client.user.id) {
      if !documentsToRead.contains(where: { $0 === client }) { documentsToRead.append(client) }
      return
    }
    let bytes = DefinedKind.bytes(ofDocument: document.storageBytes)
    guard bytes <= budget.freeForWorld || client.session.share.admits(bytes, beside: document.storageBytes) else {
      return refuseDocument(of: client, deferred.tag, of: bytes)
    }
    let (stay, slot) = (client.stay, workers.slot(of: client.user.id.lane))
    client.slot = slot
    readingDocuments.insert(client.user.id)
    turns += 1
    client.user.turn = turns
    client.session.activity = .away(Activity.Away(readingDocument: deferred.tag, bytes: bytes))
    let (notes, world) = (client.hosted.persistence?.store.workNotes, client.hosted.progress?.lease.identity)
    workers.submit(
      Job(
        .worker(slot),
        { () throws(Never) in
          notes.during(.requests, world, request: "define") { _ in
            DocumentReading.compile(document.asWritten(line)) { slot.goesOn() }
          }
        },
        then: { [unowned self] result in
          readingDocuments.remove(client.user.id)
          markDirty(client)
          client.slot = nil
          client.session.endActivity()
          if client.stay == stay {
            var read = document
            read.reading = result.get()
            client.session.activity = .deferred(
              Activity.Deferred(requests: .definition(line: line, read), tag: deferred.tag))
            client.session.needsWorker = true
            client.hosted.reserve(for: client)
          } else {
            client.session.fail(deferred.tag, .unknownWorld, [], "the world of this definition was dropped meanwhile")
          }
          goOn(client)
          // One that has become needless leaves its place to the next.
          while !readingDocuments.contains(client.user.id), let next = nextToRead(after: client) {
            readDocument(of: next)
          }
        }))
  }

  /// Answers a `define` for whose document there is no memory.
  private func refuseDocument(of client: Client, _ tag: [UInt8], of bytes: Int) {
    let shortage = client.session.share.shortage(of: bytes)
    markDirty(client)
    client.session.endActivity()
    client.session.fail(
      tag, .limit, shortage.keys,
      "\(shortage.holder) is used up; 'stats' says by what, 'drop' and 'world drop' free some")
    goOn(client)
  }

  /// The client of the same user whose document is read next.
  private func nextToRead(after client: Client) -> Client? {
    documentsToRead.firstIndex { $0.user === client.user }.map { documentsToRead.remove(at: $0) }
  }
}

extension Activity {
  /// Whether it is a `define` whose document a worker has to read first.
  var isUnreadDocument: Bool {
    guard case .deferred(let deferred) = self, case .definition(_, let document) = deferred.requests else {
      return false
    }
    return document.isUnread
  }
}

extension ReceivedDocument {
  /// The document that a `define` line brings.
  fileprivate func asWritten(_ line: [UInt8]) -> KindDocument {
    var line = line
    var request = Request()
    let words = line.withUnsafeMutableBytes {
      InputBuffer.Line(unknown: $0).withParsedCopy(&request) { Words($0) }
    }
    return KindDocument(
      name: words?[0] ?? "", notation: words?["format"] ?? "", isStrict: words?["strict"] == "yes", bytes: bytes,
      resources: resources.map { KindDocument.Resource(path: $0.key, bytes: $0.value) })
  }
}
