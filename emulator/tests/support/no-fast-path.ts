import type { FastPath } from '../../http/fast-path/connection.ts'

/** Replaces `installFastPath` in tests without the fast path (see vitest.config.ts). */
export function installFastPath(): FastPath {
  return { closeIdleConnections: () => undefined }
}
