export const EMULATOR_KEYS = {
  funded: 'sk-svc-touchstone-funded',
  noCredits: 'sk-svc-touchstone-empty',
  limited: 'sk-svc-touchstone-limited',
  small: 'sk-svc-touchstone-small',
} as const
