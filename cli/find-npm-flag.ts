/** Flags that are also options of npm. Their variables can come from a configuration file of npm. */
const NPM_FLAGS: readonly string[] = ['--ca', '--force', '--json', '--key', '--only', '--yes']

interface NpmCall {
  /** Name of the command, such as `load`. The npm script has the same name. */
  readonly command: string
  /** Long flags of the command. */
  readonly flags: readonly string[]
  /** Arguments that the command received. */
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Finds a flag that npm has taken from the command line, because the user omitted the separator `--`: in
 * `npm run load --rate 20`, npm stores `--rate` in the variable `npm_config_rate`. Returns undefined if there is none.
 */
export function findNpmFlag({ command, flags, args, environment }: NpmCall): string | undefined {
  if (environment['npm_lifecycle_event'] !== command) return undefined
  const isGiven = (flag: string) => args.some((word) => word === flag || word.startsWith(`${flag}=`))
  return flags.find(
    (flag) => !NPM_FLAGS.includes(flag) && !isGiven(flag) && environment[nameVariable(flag)] !== undefined,
  )
}

/** Returns the variable in which npm stores a flag. For `--no-calibration`, npm stores `calibration` as false. */
function nameVariable(flag: string): string {
  return `npm_config_${flag.replace(/^--(?:no-)?/, '').replaceAll('-', '_')}`
}
