/** A group of test files that need the same things of the machine, and that vitest runs as one project. */
export interface Tier {
  /** Name of the vitest project, and of `npm run test:<name>`. */
  readonly name: string
  /** Test files: `<subject>.test.ts` in the unit tier, `<subject>.<tier>.test.ts` elsewhere. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** What the tier shows, and what it needs, in one line. */
  readonly covers: string
  /** True for the tiers that `npm test` runs. */
  readonly isEveryday: boolean
}

const NEVER = ['**/node_modules/**', '**/dist/**']

function tier(name: string, covers: string, isEveryday = false): Tier {
  return { name, include: [`**/*.${name}.test.ts`], exclude: NEVER, covers, isEveryday }
}

const NAMED = [
  tier('integration', 'servers, processes and the command line, in Node alone', true),
  tier('browser', 'the console and the report pages in a real Chromium'),
  tier('k6', 'load runs by a real k6 (needs Go 1.25 or later, or a built k6)'),
  tier('go', 'the k6 extension: vet, race detector, module licences (needs Go and a C compiler)'),
  tier('docs', 'every command that the documentation shows, with its output'),
  tier('shipping', 'the npm package, the workflow, the action and the containers (needs Docker)'),
] as const

/** Every tier, the quickest first. */
export const TIERS: readonly Tier[] = [
  {
    name: 'unit',
    include: ['**/*.test.ts'],
    exclude: [...NEVER, ...NAMED.flatMap(({ include }) => include)],
    covers: 'functions and classes: no socket, no process',
    isEveryday: true,
  },
  ...NAMED,
]
