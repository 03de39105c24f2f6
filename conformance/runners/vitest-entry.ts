import { enableCompileCache } from 'node:module'

// Runs inside vitest. A thread has no compile cache unless it asks for one, and the suite is many files: it is loaded after.
enableCompileCache()
await import('./vitest-suite.ts')
