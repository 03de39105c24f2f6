import type { FastPath } from '../../http/fast-path/connection.ts'

/** Replaces `installFastPath` when tests run without the fast path (see `vitest.config.ts`). */
export function installFastPath(): FastPath {
  return { closeIdleConnections: () => undefined }
}
