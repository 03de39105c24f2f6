import type { FastPath } from '../../http/fast-path/install.ts'

/** Stands in for `installFastPath` where tests run with the fast path off: see vitest.config.ts. */
export function installFastPath(): FastPath {
  return { closeIdleConnections: () => undefined }
}
