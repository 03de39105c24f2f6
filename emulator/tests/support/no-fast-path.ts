import type { FastPath } from '../../http/fast-path/connection.ts'

/** Replaces `installFastPath` in tests that run with the fast path off: see vitest.config.ts. */
export function installFastPath(): FastPath {
  return { closeIdleConnections: () => undefined }
}
