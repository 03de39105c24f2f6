import type * as Testcontainers from 'testcontainers'

// An optional peer: who wants no containers has it not, and is told so instead of being shown what was looked up where.
const loaded = await import('testcontainers').catch((error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
  throw error
})
if (loaded === undefined) {
  throw new Error(
    'touchstone/testcontainers needs the package testcontainers: run npm install --save-dev testcontainers',
  )
}

/** What testcontainers exports. */
export const testcontainers: typeof Testcontainers = loaded
