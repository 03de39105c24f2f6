import type { ChunkPlan } from './chunk-plan.ts'

interface ChunkPosition {
  readonly choice: number
  readonly chunk: number
}

interface ChunkOrder {
  readonly chunks: number
  getPosition(index: number): ChunkPosition
  /** Returns the number of completion tokens in the first `chunks` chunks, and of the hidden reasoning before them. */
  countTokens(chunks: number): number
}

export function createChunkOrder(plans: readonly ChunkPlan[]): ChunkOrder {
  const [first] = plans
  return first !== undefined && plans.length === 1 ? createPlainOrder(first) : createAlternatingOrder(plans)
}

function createPlainOrder({ chunks, getStart }: ChunkPlan): ChunkOrder {
  return {
    chunks,
    getPosition: (chunk) => ({ choice: 0, chunk }),
    countTokens: (sent) => (sent === 0 ? 0 : getStart(sent)),
  }
}

function createAlternatingOrder(plans: readonly ChunkPlan[]): ChunkOrder {
  const positions = plans
    .flatMap(({ chunks }, choice) => Array.from({ length: chunks }, (_, chunk): ChunkPosition => ({ choice, chunk })))
    .toSorted((one, other) => one.chunk - other.chunk || one.choice - other.choice)
  const ends = plans.map(() => 0)
  let tokens = 0
  const tokensAfter = positions.map(({ choice, chunk }) => {
    const end = plans[choice]?.getStart(chunk + 1) ?? 0
    tokens += end - (ends[choice] ?? 0)
    ends[choice] = end
    return tokens
  })
  return {
    chunks: positions.length,
    getPosition: (index) => positions[index] ?? { choice: 0, chunk: 0 },
    countTokens: (sent) => tokensAfter[sent - 1] ?? 0,
  }
}
