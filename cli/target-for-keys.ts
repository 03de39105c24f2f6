import { CommandLineError } from './command-line-error.ts'

/** Value of `--target` for which the command starts an emulator itself. */
const BUILT_IN_EMULATOR = 'emulator'

export function isBuiltInEmulator(target: string | undefined): boolean {
  return target === BUILT_IN_EMULATOR
}

/**
 * Rejects keys without a target. If `TOUCHSTONE_TARGET` is unset by mistake, the command would otherwise test the
 * built-in emulator and pass.
 * @param keys option rows of the keys that the user gave
 * @throws CommandLineError
 */
export function requireTargetForKeys(
  target: string | undefined,
  keys: readonly { readonly flag: string; readonly env: string }[],
): void {
  const [key] = keys
  if (target !== undefined || key === undefined) return
  throw new CommandLineError(
    `A key was given (${key.flag} or ${key.env}), but no target. Set --target URL or TOUCHSTONE_TARGET, or use --target ${BUILT_IN_EMULATOR} for the built-in emulator.`,
  )
}
