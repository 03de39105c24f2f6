import type { Declarations } from './declarations.ts'

/** The smallest PNG: one pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** What is declared for the emulator where a run starts it itself, so that nothing stays untested there. */
export const OWN_EMULATOR: {
  readonly declarations: Declarations
  /** Decisions that the emulator has to be started with, for the declarations to be true. */
  readonly decisions: { readonly 'quality-parameter': 'quality' }
} = {
  declarations: {
    qualityParameter: 'quality',
    balance: { path: '/__emulator/balance', pointer: '/credits' },
    smallBalance: 1,
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
