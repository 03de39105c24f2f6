import type { LoadFinding } from '../findings/finding.ts'

/** The path of a k6 with the extension, or the finding that explains why k6 is not available. */
export type K6Lookup = { readonly path: string } | { readonly finding: LoadFinding }
