/** Test files that have the same prerequisites, and that vitest runs as one project. */
export interface TestTier {
  /** Name of the vitest project, and of `npm run test:<name>`. */
  readonly name: string
  /** Patterns of test files: `<subject>.test.ts` in the unit tier, `<subject>.<tier>.test.ts` elsewhere. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** Purpose and prerequisites of the tier, in one line. */
  readonly covers: string
  /** Whether `npm test` runs the tier. */
  readonly isEveryday: boolean
  /** Whether `npm run test:all` skips the tier because it takes too long. */
  readonly isNightly: boolean
}

const NEVER = ['**/node_modules/**', '**/dist/**']

function tier(name: string, covers: string, isEveryday = false): TestTier {
  return { name, include: [`**/*.${name}.test.ts`], exclude: NEVER, covers, isEveryday, isNightly: false }
}

const NAMED = [
  tier('integration', 'servers, processes and the command line (needs Node.js alone)', true),
  tier(
    'suite',
    'the whole conformance suite against many faulty, buffering and unusual targets (one test file needs nginx and haproxy)',
  ),
  tier('browser', 'the console and the report pages (needs Chromium)'),
  tier('k6', 'load runs by k6 (needs Go 1.25 or later, or a built k6)'),
  tier('go', 'the k6 extension: vet, race detector, licences (needs Go and a C compiler)'),
  tier('docs', 'the commands that the documentation shows, with their output (load runs need k6)'),
  tier('shipping', 'the npm package, the workflow, the action and the images (images need Docker)'),
] as const

const KUBERNETES: TestTier = {
  ...tier(
    'kubernetes',
    'the manifests of load runs in a cluster of three nodes (needs Linux, root, Docker, Go, and twenty minutes to build)',
  ),
  isNightly: true,
}

const NAMED_FILES = [...NAMED, KUBERNETES].flatMap(({ include }) => include)

const UNIT: TestTier = {
  name: 'unit',
  include: ['**/*.test.ts'],
  exclude: [...NEVER, ...NAMED_FILES, '**/*.nightly.test.ts'],
  covers: 'functions and classes, without sockets or processes',
  isEveryday: true,
  isNightly: false,
}

const NIGHTLY: TestTier = {
  name: 'nightly',
  include: ['**/*.test.ts'],
  exclude: [...NEVER, ...NAMED_FILES.filter((pattern) => !/\.(integration|suite)\./.test(pattern))],
  covers:
    'the unit, integration and suite tests with far more generated inputs, a soak test of ten minutes, and other gateways and clients (needs Python, Go, Maven, nginx, haproxy)',
  isEveryday: false,
  isNightly: true,
}

/** All tiers, fastest first. */
export const TIERS: readonly TestTier[] = [UNIT, ...NAMED, KUBERNETES, NIGHTLY]
