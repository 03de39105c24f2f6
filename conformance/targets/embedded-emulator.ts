import type { Declarations } from './declarations.ts'

/** The smallest PNG: one pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Declarations for the emulator that a run starts itself. With them every check can be tested. */
export const EMBEDDED_EMULATOR: {
  readonly declarations: Declarations
  /** Emulator options that make the declarations true. */
  readonly decisions: { readonly 'quality-parameter': 'quality' }
} = {
  declarations: {
    qualityParameter: 'quality',
    balance: { path: '/__emulator/balance', pointer: '/credits' },
    smallBalance: 1,
    // The limited account: a burst of 5, and one more request each second.
    limitedRate: { requests: 15, seconds: 10 },
    vision: {
      model: 'vendora-v4-flash',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: PIXEL } },
      ],
    },
  },
  decisions: { 'quality-parameter': 'quality' },
}
