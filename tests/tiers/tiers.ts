/** Test files that have the same prerequisites, and that vitest runs as one project. */
export interface TestTier {
  /** Name of the vitest project, and of `npm run test:<name>`. */
  readonly name: string
  /** Patterns of test files: `<subject>.test.ts` in the unit tier, `<subject>.<tier>.test.ts` elsewhere. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly covers: string
  readonly needs: string
  /** Whether `npm test` runs the tier. */
  readonly isEveryday: boolean
  /** Whether `npm run test:all` skips the tier because it takes too long. */
  readonly isNightly: boolean
}

const NEVER = ['**/node_modules/**', '**/dist/**']

function tier(name: string, covers: string, needs: string, isEveryday = false): TestTier {
  return { name, include: [`**/*.${name}.test.ts`], exclude: NEVER, covers, needs, isEveryday, isNightly: false }
}

const NAMED = [
  tier('integration', 'servers, processes and the command line', 'Node.js', true),
  tier(
    'suite',
    'whole runs: targets with defects, attacks, proofs, signals, full disks',
    'nginx and haproxy for one file',
  ),
  tier('browser', 'the console and the HTML reports', 'Chromium'),
  tier('k6', 'load runs', 'k6, or Go 1.25 or later'),
  tier('go', 'the k6 extension', 'Go, a C compiler'),
  tier('docs', 'commands in the documentation, and their output', 'k6'),
  tier('shipping', 'the npm package, the workflows, the action and the images', 'k6, Docker'),
] as const

const KUBERNETES: TestTier = {
  ...tier('kubernetes', 'load runs in a Kubernetes cluster', 'Linux, root, Docker, Go, twenty minutes'),
  isNightly: true,
}

const NAMED_FILES = [...NAMED, KUBERNETES].flatMap(({ include }) => include)

const UNIT: TestTier = {
  name: 'unit',
  include: ['**/*.test.ts'],
  exclude: [...NEVER, ...NAMED_FILES, '**/*.nightly.test.ts'],
  covers: 'functions and classes, without sockets or processes',
  needs: 'Node.js',
  isEveryday: true,
  isNightly: false,
}

const NIGHTLY: TestTier = {
  name: 'nightly',
  include: ['**/*.test.ts'],
  exclude: [...NEVER, ...NAMED_FILES.filter((pattern) => !/\.(integration|suite)\./.test(pattern))],
  covers: 'more generated inputs, a soak test, other gateways and clients',
  needs: 'Python, Go, Maven, nginx, haproxy',
  isEveryday: false,
  isNightly: true,
}

/** All tiers, fastest first. */
export const TIERS: readonly TestTier[] = [UNIT, ...NAMED, KUBERNETES, NIGHTLY]
