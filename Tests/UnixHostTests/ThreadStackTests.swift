import CSystem
import TestSupport
import Testing
import UnixHost

@Suite("The stack of threads")
struct ThreadStackTests {
  @Test("is as large as recursions need, whatever the user's limit")
  func size() {
    ThreadStack.ensure()
    expect(fsm_stack_size() >= ThreadStack.bytes)
  }
}
