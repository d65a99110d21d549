import { keyFence } from './key-fence.ts'
import type { Seeded } from './seeded.ts'

/**
 * Kinds of secrets by their published formats, written independently of the rules that must find them. Nothing here is
 * a key: each is assembled from random characters when the test runs.
 */
export type TokenKind = { name: string; variable: string; make(random: Seeded): string }

/** Recognisable by their own format. */
export const prefixedKinds: readonly TokenKind[] = [
  kind('Anthropic API key', 'ANTHROPIC_API_KEY', (r) => `sk-ant-api03-${r.word(93)}AA`),
  kind('Anthropic admin key', 'ANTHROPIC_ADMIN_KEY', (r) => `sk-ant-admin01-${r.word(93)}AA`),
  kind('Anthropic OAuth token', 'CLAUDE_CODE_OAUTH_TOKEN', (r) => `sk-ant-oat01-${r.word(86)}-${r.word(6)}AA`),
  kind('Anthropic refresh token', 'CLAUDE_REFRESH', (r) => `sk-ant-ort01-${r.word(86)}-${r.word(6)}AA`),
  kind('OpenAI project key', 'OPENAI_API_KEY', (r) => `sk-proj-${r.word(74)}T3BlbkFJ${r.word(74)}`),
  kind('OpenAI service account key', 'OPENAI_API_KEY', (r) => `sk-svcacct-${r.word(74)}T3BlbkFJ${r.word(74)}`),
  kind('OpenAI legacy key', 'OPENAI_API_KEY', (r) => `sk-${r.alnum(20)}T3BlbkFJ${r.alnum(20)}`),
  kind('OpenRouter key', 'OPENROUTER_API_KEY', (r) => `sk-or-v1-${r.hex(64)}`),
  kind('DeepSeek key', 'DEEPSEEK_API_KEY', (r) => `sk-${r.hex(32)}`),
  kind('Groq key', 'GROQ_API_KEY', (r) => `gsk_${r.alnum(52)}`),
  kind('xAI key', 'XAI_API_KEY', (r) => `xai-${r.alnum(80)}`),
  kind('Perplexity key', 'PERPLEXITY_API_KEY', (r) => `pplx-${r.alnum(48)}`),
  kind('Replicate token', 'REPLICATE_API_TOKEN', (r) => `r8_${r.alnum(37)}`),
  kind(
    'Hugging Face token',
    'HF_TOKEN',
    (r) => `hf_${r.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 34)}`,
  ),
  kind('NVIDIA key', 'NVIDIA_API_KEY', (r) => `nvapi-${r.word(64)}`),
  kind('LangSmith key', 'LANGSMITH_API_KEY', (r) => `lsv2_pt_${r.hex(32)}_${r.hex(10)}`),
  kind('GitHub personal token', 'GITHUB_TOKEN', (r) => `ghp_${r.alnum(36)}`),
  kind('GitHub OAuth token', 'GH_OAUTH', (r) => `gho_${r.alnum(36)}`),
  kind('GitHub app token', 'GH_APP', (r) => `ghs_${r.alnum(36)}`),
  kind('GitHub refresh token', 'GH_REFRESH', (r) => `ghr_${r.alnum(76)}`),
  kind('GitHub fine-grained token', 'GH_TOKEN', (r) => `github_pat_${r.alnum(22)}_${r.alnum(59)}`),
  kind('GitLab personal token', 'GITLAB_TOKEN', (r) => `glpat-${r.word(20)}`),
  kind('GitLab routable token', 'GITLAB_TOKEN', (r) => `glpat-${r.word(27)}.01.${r.lower(9)}`),
  kind('GitLab deploy token', 'CI_DEPLOY', (r) => `gldt-${r.word(20)}`),
  kind('GitLab runner token', 'RUNNER', (r) => `glrt-${r.word(20)}`),
  kind('Atlassian token', 'JIRA_TOKEN', (r) => `ATATT3xFfGF0${r.word(171)}=${r.hex(8).toUpperCase()}`),
  kind('Bitbucket app password', 'BITBUCKET', (r) => `ATBB${r.alnum(32)}`),
  kind('Slack bot token', 'SLACK_BOT_TOKEN', (r) => `xoxb-${r.digits(12)}-${r.digits(13)}-${r.alnum(24)}`),
  kind('Slack user token', 'SLACK_USER', (r) => `xoxp-${r.digits(12)}-${r.digits(12)}-${r.digits(13)}-${r.hex(32)}`),
  kind('Slack app token', 'SLACK_APP', (r) => `xapp-1-A${r.upper(10)}-${r.digits(13)}-${r.hex(64)}`),
  kind('Telegram bot token', 'TELEGRAM', (r) => `${r.pick([1, 5, 7])}${r.digits(9)}:AA${r.word(33)}`),
  kind(
    'Discord bot token',
    'DISCORD',
    (r) => `${Buffer.from(`1${r.digits(17)}`).toString('base64')}.G${r.alnum(5)}.${r.word(38)}`,
  ),
  kind('Google API key', 'GOOGLE_API_KEY', (r) => `AIzaSy${r.word(33)}`),
  kind('Google OAuth secret', 'GOOGLE_SECRET', (r) => `GOCSPX-${r.word(28)}`),
  kind('Google access token', 'GOOGLE_ACCESS', (r) => `ya29.a0${r.word(160)}`),
  kind('AWS access key id', 'AWS_ACCESS_KEY_ID', (r) => `AKIA${r.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`),
  kind('AWS temporary key id', 'AWS_ACCESS_KEY_ID', (r) => `ASIA${r.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`),
  kind('AWS session token', 'AWS_SESSION', (r) => `IQoJb3JpZ2luX2Vj${r.base64(320)}=`),
  kind('Azure client secret', 'AZURE', (r) => `${r.alnum(3)}8Q~${r.alnum(34)}`),
  kind('DigitalOcean token', 'DO_TOKEN', (r) => `dop_v1_${r.hex(64)}`),
  kind('Netlify token', 'NETLIFY', (r) => `nfp_${r.alnum(36)}`),
  kind('Fly token', 'FLY', (r) => `fo1_${r.word(43)}`),
  kind('Tailscale key', 'TS_AUTHKEY', (r) => `tskey-auth-k${r.alnum(11)}CNTRL-${r.alnum(33)}`),
  kind('Pulumi token', 'PULUMI', (r) => `pul-${r.hex(40)}`),
  kind('Terraform Cloud token', 'TFE', (r) => `${r.alnum(14)}.atlasv1.${r.alnum(67)}`),
  kind('HashiCorp Vault token', 'VAULT', (r) => `hvs.${r.word(90)}`),
  kind('1Password service token', 'OP_SERVICE', (r) => `ops_eyJ${r.alnum(280)}`),
  kind('Doppler token', 'DOPPLER', (r) => `dp.pt.${r.alnum(43)}`),
  kind('age secret key', 'AGE', (r) => `AGE-SECRET-KEY-1${r.from('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`),
  kind('PlanetScale password', 'PSCALE', (r) => `pscale_pw_${r.word(43)}`),
  kind('Supabase token', 'SUPABASE', (r) => `sbp_${r.hex(40)}`),
  kind('Databricks token', 'DATABRICKS', (r) => `dapi${r.hex(32)}`),
  kind('npm token', 'NPM_TOKEN', (r) => `npm_${r.alnum(36)}`),
  kind('PyPI token', 'TWINE', (r) => `pypi-AgEIcHlwaS5vcmc${r.word(150)}`),
  kind('RubyGems key', 'GEM', (r) => `rubygems_${r.hex(48)}`),
  kind('crates.io token', 'CARGO', (r) => `cio${r.alnum(32)}`),
  kind('Docker Hub token', 'DOCKER', (r) => `dckr_pat_${r.word(27)}`),
  kind('Stripe secret key', 'STRIPE', (r) => `sk_live_${r.alnum(24)}`),
  kind('Stripe restricted key', 'STRIPE', (r) => `rk_live_${r.alnum(99)}`),
  kind('Stripe webhook secret', 'STRIPE_WEBHOOK', (r) => `whsec_${r.alnum(32)}`),
  kind('Square token', 'SQUARE', (r) => `sq0atp-${r.word(22)}`),
  kind('Shopify token', 'SHOPIFY', (r) => `shpat_${r.hex(32)}`),
  kind('Plaid access token', 'PLAID', (r) => `access-production-${r.uuid()}`),
  kind('SendGrid key', 'SENDGRID', (r) => `SG.${r.word(22)}.${r.word(43)}`),
  kind('Mailgun key', 'MAILGUN', (r) => `key-${r.hex(32)}`),
  kind('Mailchimp key', 'MAILCHIMP', (r) => `${r.hex(32)}-us${1 + r.below(20)}`),
  kind('Brevo key', 'BREVO', (r) => `xkeysib-${r.hex(64)}-${r.alnum(16)}`),
  kind('Twilio key', 'TWILIO', (r) => `SK${r.hex(32)}`),
  kind('Grafana service token', 'GRAFANA', (r) => `glsa_${r.alnum(32)}_${r.hex(8)}`),
  kind('New Relic key', 'NEW_RELIC', (r) => `NRAK-${r.upper(27)}`),
  kind('Sentry user token', 'SENTRY', (r) => `sntryu_${r.hex(64)}`),
  kind('PostHog key', 'POSTHOG', (r) => `phx_${r.alnum(43)}`),
  kind('Linear key', 'LINEAR', (r) => `lin_api_${r.alnum(40)}`),
  kind('Notion token', 'NOTION', (r) => `ntn_${r.digits(11)}${r.alnum(35)}`),
  kind('Figma token', 'FIGMA', (r) => `figd_${r.word(40)}`),
  kind('Airtable token', 'AIRTABLE', (r) => `pat${r.alnum(14)}.${r.hex(64)}`),
  kind('Postman key', 'POSTMAN', (r) => `PMAK-${r.hex(24)}-${r.hex(34)}`),
  kind('SonarQube token', 'SONAR', (r) => `squ_${r.hex(40)}`),
  kind('Buildkite token', 'BUILDKITE', (r) => `bkua_${r.hex(40)}`),
  kind('JSON Web Token', 'SESSION', (r) => jwt(r)),
]

/** Recognisable only by their name. */
export const contextualKinds: readonly TokenKind[] = [
  kind('AWS secret key', 'AWS_SECRET_ACCESS_KEY', (r) => r.base64(40)),
  kind('Datadog key', 'DD_API_KEY', (r) => r.hex(32)),
  kind('Datadog application key', 'DD_APP_KEY', (r) => r.hex(40)),
  kind('Snyk token', 'SNYK_TOKEN', (r) => r.uuid()),
  kind('Heroku key', 'HEROKU_API_KEY', (r) => r.uuid()),
  kind('Cloudflare token', 'CLOUDFLARE_API_TOKEN', (r) => r.word(40)),
  kind('Mistral key', 'MISTRAL_API_KEY', (r) => r.alnum(32)),
  kind('Vercel token', 'VERCEL_TOKEN', (r) => r.alnum(24)),
  kind('CircleCI token', 'CIRCLE_TOKEN', (r) => r.hex(40)),
  kind('Codecov token', 'CODECOV_TOKEN', (r) => r.uuid()),
  kind('Okta token', 'OKTA_API_TOKEN', (r) => `00${r.word(40)}`),
  kind('Algolia admin key', 'ALGOLIA_ADMIN_KEY', (r) => r.hex(32)),
  kind('Rails secret', 'SECRET_KEY_BASE', (r) => r.hex(128)),
  kind('Django secret', 'DJANGO_SECRET_KEY', (r) => r.alnum(50)),
  kind('OAuth client secret', 'OAUTH_CLIENT_SECRET', (r) => r.word(32)),
  kind('session secret', 'SESSION_SECRET', (r) => r.base64(43)),
  kind('database password', 'DB_PASSWORD', (r) => password(r, 16)),
  kind('PostgreSQL password', 'PGPASSWORD', (r) => password(r, 12)),
  kind('mail password', 'SMTP_PASS', (r) => password(r, 14)),
  kind('admin password', 'ADMIN_PASSWORD', (r) => `${r.pick(['Summer', 'Orchid', 'Falcon'])}${r.digits(4)}!`),
  kind('key passphrase', 'SSH_PASSPHRASE', (r) => password(r, 20)),
  kind('encryption key', 'ENCRYPTION_KEY', (r) => r.hex(64)),
  kind('webhook secret', 'WEBHOOK_SECRET', (r) => r.alnum(24)),
  kind('service key', 'INTERNAL_SERVICE_KEY', (r) => r.alnum(28)),
]

/** Recognisable by their surroundings: a line, and the part of it that must be replaced. */
export type FramedKind = { name: string; make(random: Seeded): { line: string; secret: string } }

export const structuralKinds: readonly FramedKind[] = [
  framed(
    'bearer header',
    (r) => r.alnum(40),
    (s) => `Authorization: Bearer ${s}`,
  ),
  framed(
    'basic header',
    (r) => Buffer.from(`ada:${password(r, 14)}`).toString('base64'),
    (s) => `Authorization: Basic ${s}`,
  ),
  framed(
    'token header',
    (r) => r.hex(40),
    (s) => `Authorization: token ${s}`,
  ),
  framed(
    'API key header',
    (r) => r.alnum(32),
    (s) => `X-API-Key: ${s}`,
  ),
  framed(
    'auth token header',
    (r) => r.alnum(32),
    (s) => `X-Auth-Token: ${s}`,
  ),
  framed(
    'private token header',
    (r) => r.alnum(20),
    (s) => `PRIVATE-TOKEN: ${s}`,
  ),
  framed(
    'vault header',
    (r) => r.alnum(26),
    (s) => `X-Vault-Token: ${s}`,
  ),
  framed(
    'cookie',
    (r) => r.alnum(32),
    (s) => `Cookie: theme=dark; session_id=${s}; lang=en`,
  ),
  framed(
    'set-cookie',
    (r) => r.word(48),
    (s) => `Set-Cookie: sid=${s}; Path=/; HttpOnly; Secure`,
  ),
  framed(
    'URL with password',
    (r) => r.alnum(14),
    (s) => `git clone https://ada:${s}@forge.test/acme/app.git`,
  ),
  framed(
    'URL with token',
    (r) => r.hex(40),
    (s) => `origin https://${s}@forge.test/acme/app.git (fetch)`,
  ),
  framed(
    'PostgreSQL URL',
    (r) => password(r, 14),
    (s) => `DATABASE_URL=postgres://app:${s}@db.internal:5432/app?sslmode=require`,
  ),
  framed(
    'MySQL URL',
    (r) => r.alnum(12),
    (s) => `mysql+pymysql://root:${s}@127.0.0.1:3306/shop`,
  ),
  framed(
    'MongoDB URL',
    (r) => r.alnum(16),
    (s) => `mongodb+srv://svc:${s}@cluster0.ab1cd.mongodb.net/?retryWrites=true`,
  ),
  framed(
    'Redis URL',
    (r) => r.alnum(24),
    (s) => `REDIS_URL=redis://:${s}@cache.internal:6379/0`,
  ),
  framed(
    'AMQP URL',
    (r) => r.alnum(16),
    (s) => `amqps://worker:${s}@mq.internal/vhost`,
  ),
  framed(
    'ADO connection string',
    (r) => password(r, 14),
    (s) => `Server=tcp:db.test,1433;Initial Catalog=app;User ID=sa;Password=${s};Encrypt=True;`,
  ),
  framed(
    'libpq string',
    (r) => r.alnum(14),
    (s) => `psql "host=db.internal port=5432 dbname=app user=app password=${s} sslmode=require"`,
  ),
  framed(
    'JDBC URL',
    (r) => r.alnum(14),
    (s) => `jdbc:sqlserver://db.test:1433;databaseName=app;user=sa;password=${s};encrypt=true`,
  ),
  framed(
    'pgpass line',
    (r) => r.alnum(14),
    (s) => `db.internal:5432:app:app:${s}`,
  ),
  framed(
    'netrc',
    (r) => r.alnum(16),
    (s) => `machine forge.test login ada password ${s}`,
  ),
  framed(
    'curl user',
    (r) => r.alnum(14),
    (s) => `curl -s -u ada:${s} https://api.forge.test/user`,
  ),
  framed(
    'mysql -p',
    (r) => r.alnum(12),
    (s) => `mysql -h db.internal -u root -p${s} shop < dump.sql`,
  ),
  framed(
    'sshpass',
    (r) => r.alnum(12),
    (s) => `sshpass -p '${s}' ssh ada@host.test uptime`,
  ),
  framed(
    'docker login',
    (r) => r.alnum(20),
    (s) => `docker login -u ada -p ${s} registry.test`,
  ),
  framed(
    'flag',
    (r) => r.alnum(24),
    (s) => `deploy --env prod --api-token ${s} --yes`,
  ),
  framed(
    'npmrc',
    (r) => r.uuid(),
    (s) => `//registry.test/:_authToken=${s}`,
  ),
  framed(
    'docker config',
    (r) => Buffer.from(`ada:${r.alnum(16)}`).toString('base64'),
    (s) => `{"auths":{"registry.test":{"auth":"${s}"}}}`,
  ),
  framed(
    'Maven settings',
    (r) => r.alnum(14),
    (s) => `<server><id>nexus</id><username>ada</username><password>${s}</password></server>`,
  ),
  framed(
    '.NET app setting',
    (r) => r.alnum(28),
    (s) => `<add key="ApiSecret" value="${s}" />`,
  ),
  framed(
    'Kubernetes env',
    (r) => r.alnum(20),
    (s) => `        - name: DB_PASSWORD\n          value: "${s}"`,
  ),
  framed(
    'storage account',
    (r) => `${r.base64(86)}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${s};EndpointSuffix=core.windows.net`,
  ),
  framed(
    'SAS URL',
    (r) => `${r.alnum(40)}%2B${r.alnum(3)}%3D`,
    (s) => `https://acme.blob.core.windows.net/c/f.txt?sv=2023-01-03&se=2030-01-01&sr=b&sp=r&sig=${s}`,
  ),
  framed(
    'presigned URL',
    (r) => r.hex(64),
    (s) => `https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=${s}`,
  ),
  framed(
    'Slack webhook',
    (r) => r.alnum(24),
    (s) => `https://hooks.slack.com/services/T01ABCDEF23/B01GHIJKL45/${s}`,
  ),
  framed(
    'Discord webhook',
    (r) => r.word(68),
    (s) => `https://discord.com/api/webhooks/112233445566778899/${s}`,
  ),
  framed(
    'elicitation URL',
    (r) => r.word(43),
    (s) => `ELICITATION_REQUEST_URL=http://127.0.0.1:3000/api/v1/elicitations/session/${s}`,
  ),
  framed(
    'kubeconfig key',
    (r) => Buffer.from(pem(r)).toString('base64'),
    (s) => `    client-key-data: ${s}`,
  ),
  framed(
    'PEM block',
    (r) => r.base64(64),
    (s, r) => `${keyFence('BEGIN')}\n${r.base64(64)}\n${s}\n${r.base64(40)}==\n${keyFence('END')}`,
  ),
  framed(
    'OpenSSH key',
    (r) => r.base64(70),
    (s, r) =>
      `${keyFence('BEGIN', 'OPENSSH')}\nb3BlbnNzaC1rZXktdjEA${r.base64(50)}\n${s}\n${r.base64(20)}=\n${keyFence('END', 'OPENSSH')}`,
  ),
  framed(
    'PEM in one line',
    (r) => r.base64(64),
    (s, r) => `PRIVATE_KEY="${keyFence('BEGIN', 'RSA')}\\n${r.base64(64)}\\n${s}\\n${keyFence('END', 'RSA')}\\n"`,
  ),
  framed(
    'PEM with line numbers',
    (r) => r.base64(64),
    (s, r) => `   1→${keyFence('BEGIN', 'EC')}\n   2→${r.base64(64)}\n   3→${s}\n   4→${keyFence('END', 'EC')}`,
  ),
  framed(
    'PEM in a diff',
    (r) => r.base64(64),
    (s, r) => `+${keyFence('BEGIN', 'RSA')}\n+${r.base64(64)}\n+${s}\n+${keyFence('END', 'RSA')}`,
  ),
]

function kind(name: string, variable: string, make: (random: Seeded) => string): TokenKind {
  return { name, variable, make }
}

function framed(
  name: string,
  makeSecret: (random: Seeded) => string,
  frame: (secret: string, random: Seeded) => string,
): FramedKind {
  return {
    name,
    make: (random) => {
      const secret = makeSecret(random)
      return { line: frame(secret, random), secret }
    },
  }
}

function jwt(random: Seeded): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { sub: random.digits(10), name: 'Ada', iat: 1_700_000_000, jti: random.uuid() }
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.${random.word(43)}`
}

export function password(random: Seeded, length: number): string {
  return `${random.alnum(length - 3)}${random.pick(['#', '!', '%', '+', '*'])}${random.digits(1)}${random.from('abcXYZ', 1)}`
}

function pem(random: Seeded): string {
  const body = Array.from({ length: 6 }, () => `${random.base64(64)}\n`).join('')
  return `${keyFence('BEGIN', 'RSA')}\n${body}${keyFence('END', 'RSA')}\n`
}
