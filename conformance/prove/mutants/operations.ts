/** All operations, in the order of the specification. */
export const OPERATION_NAMES = ['models', 'chat', 'images', 'transcriptions', 'speech'] as const

/** Operations that cost credits. */
export const CHARGED_OPERATIONS = ['chat', 'images', 'transcriptions', 'speech'] as const

/** Operations with a JSON request body. */
export const JSON_OPERATIONS = ['chat', 'images', 'speech'] as const

/** API keys of the emulator's predefined accounts. */
export const EMULATOR_KEYS = {
  funded: 'sk-svc-touchstone-funded',
  empty: 'sk-svc-touchstone-empty',
  limited: 'sk-svc-touchstone-limited',
  small: 'sk-svc-touchstone-small',
} as const
