internal import Glibc

/// How many descriptors this process may have open.
package enum FileDescriptorLimit {
  /// Raises the soft limit to `count`, or as far as the hard limit allows; never lowers it.
  ///
  /// - Returns: The limit that now holds.
  @discardableResult
  package static func raise(to count: Int) -> Int {
    var limits = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limits) == 0 else { return 0 }
    let wanted = min(rlim_t(count), limits.rlim_max)
    if wanted > limits.rlim_cur {
      var raised = limits
      raised.rlim_cur = wanted
      if setrlimit(resource, &raised) == 0 { limits = raised }
    }
    return Int(clamping: limits.rlim_cur)
  }
}
