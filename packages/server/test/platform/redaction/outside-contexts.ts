import type { Seeded } from './seeded.ts'

/** How programs and configuration files print a value under a name. */
type Context = { name: string; wrap(named: { name: string; value: string }, random: Seeded): string }

const context = (name: string, wrap: Context['wrap']): Context => ({ name, wrap })
const lower = (name: string): string => name.toLowerCase()
const dashed = (name: string): string => lower(name).replaceAll('_', '-')
const camel = (name: string): string => lower(name).replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const pascal = (name: string): string => camel(name).replace(/^./, (letter) => letter.toUpperCase())

export const outsideContexts: readonly Context[] = [
  context('env output', ({ name, value }) => `HOME=/root\n${name}=${value}\nSHLVL=1\n`),
  context('shell trace', ({ name, value }) => `+ export ${name}=${value}\n+ ${name}=${value}\n+ npm ci\n`),
  context('docker inspect', ({ name, value }) =>
    JSON.stringify([{ Config: { Env: ['PATH=/bin', `${name}=${value}`] } }], null, 4),
  ),
  context('docker run', ({ name, value }) => `docker run -d -e ${name}=${value} --name web acme/web:1.2`),
  context(
    'compose file',
    ({ name, value }) => `services:\n  web:\n    environment:\n      - ${name}=${value}\n      - PORT=80\n`,
  ),
  context(
    'Kubernetes manifest',
    ({ name, value }) => `env:\n  - name: ${name}\n    value: "${value}"\n  - name: PORT\n    value: "80"\n`,
  ),
  context(
    'Kubernetes secret',
    ({ name, value }) => `apiVersion: v1\ndata:\n  ${name}: ${Buffer.from(value).toString('base64')}\nkind: Secret\n`,
  ),
  context(
    'workflow file',
    ({ name, value }) => `jobs:\n  build:\n    env:\n      ${name}: '${value}'\n    steps: []\n`,
  ),
  context('Terraform variables', ({ name, value }) => `region = "eu-west-1"\n${lower(name)} = "${value}"\n`),
  context('Terraform plan', ({ name, value }) => `  ~ environment = {\n      + "${name}" = "${value}"\n    }\n`),
  context('TOML', ({ name, value }) => `[service]\n${lower(name)} = "${value}"\nport = 80\n`),
  context('ini file', ({ name, value }) => `[default]\nregion = eu-west-1\n${lower(name)} = ${value}\n`),
  context('properties file', ({ name, value }) => `server.port=8080\n${lower(name).replaceAll('_', '.')}=${value}\n`),
  context(
    'Java option',
    ({ name, value }) => `java -Xmx1g -D${lower(name).replaceAll('_', '.')}=${value} -jar app.jar`,
  ),
  context('XML element', ({ name, value }) => `<settings><${camel(name)}>${value}</${camel(name)}></settings>`),
  context('XML attribute', ({ name, value }) => `<add key="${pascal(name)}" value="${value}" />`),
  context('PHP define', ({ name, value }) => `define('${name}', '${value}');`),
  context('PHP array', ({ name, value }) => `return ['${lower(name)}' => '${value}', 'debug' => false];`),
  context('Ruby environment', ({ name, value }) => `ENV['${name}'] = '${value}'`),
  context('Ruby hash', ({ name, value }) => `{:${lower(name)}=>"${value}", :port=>80}`),
  context('Python environment', ({ name, value }) => `os.environ["${name}"] = "${value}"`),
  context('Python dictionary', ({ name, value }) => `{'host': 'db', '${lower(name)}': '${value}', 'port': 80}`),
  context('Python argument', ({ name, value }) => `client = Client(host="x", ${lower(name)}="${value}", timeout=3)`),
  context('Go struct', ({ name, value }) => `&{Host:db ${pascal(name)}:${value} Port:80}`),
  context('Go constant', ({ name, value }) => `const ${camel(name)} = "${value}"`),
  context('C# settings', ({ name, value }) => JSON.stringify({ Acme: { [pascal(name)]: value } })),
  context('Java toString', ({ name, value }) => `Config[host=db, ${camel(name)}=${value}, port=80]`),
  context('Rust debug', ({ name, value }) => `Config { host: "db", ${lower(name)}: "${value}", port: 80 }`),
  context('JavaScript object', ({ name, value }) => `{ host: 'db', ${camel(name)}: '${value}', port: 80 }`),
  context('PowerShell', ({ name, value }) => `$env:${name} = "${value}"`),
  context('Windows set', ({ name, value }) => `set ${name}=${value}\r\nnode app.js\r\n`),
  context('fish', ({ name, value }) => `set -gx ${name} ${value}`),
  context('command line flag', ({ name, value }) => `acme deploy --${dashed(name)} ${value} --region eu`),
  context('command line flag with equals', ({ name, value }) => `acme deploy --${dashed(name)}=${value}`),
  context('structured log', ({ name, value }) => JSON.stringify({ level: 30, msg: `loaded ${name}=${value}`, pid: 7 })),
  context('logfmt', ({ name, value }) => `level=info msg="starting" ${lower(name)}=${value} port=80`),
  context(
    'JSON error',
    ({ name, value }) => `Error: bad config: {"${camel(name)}":"${value}"}\n    at load (app.js:3:1)`,
  ),
  context('process list', ({ name, value }) => `root  12  0.1  0.0  node server.js --${dashed(name)}=${value}`),
  context('markdown', ({ name, value }) => `- \`${name}\`: \`${value}\`\n- \`PORT\`: \`80\`\n`),
  context('markdown table', ({ name, value }) => `| Variable | Value |\n|---|---|\n| ${name} | ${value} |\n`),
  context(
    'query parameter',
    ({ name, value }) => `curl "https://api.test/v1?${lower(name)}=${encodeURIComponent(value)}&x=1"`,
  ),
  context('escaped JSON', ({ name, value }) => JSON.stringify(JSON.stringify({ [name]: value }))),
]

/** How a token that needs no name is printed. */
export const outsideBareContexts: readonly Context[] = [
  context('error message', ({ value }) => `401 Unauthorized: invalid token '${value}' (request 7)`),
  context('curl trace', ({ value }) => `> GET /v1 HTTP/2\n> Host: api.test\n> Authorization: Bearer ${value}\n>\n`),
  context(
    'git remote',
    ({ value }) => `origin\thttps://x-access-token:${encodeURIComponent(value)}@forge.test/a/b.git (fetch)`,
  ),
  context('npmrc', ({ value }) => `//registry.test/:_authToken=${value}\nsave-exact=true\n`),
  context('list', ({ value }) => `Tokens:\n  1. ${value}\n  2. (none)\n`),
  context('quoted in prose', ({ value }) => `She sent me "${value}", which should be rotated.`),
  context('printed line', ({ value }) => `$ cat token\n${value}\n$ `),
  context('HTML', ({ value }) => `<input type="hidden" value="${value}">`),
]
