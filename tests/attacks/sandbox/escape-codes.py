# A terminal full of escape codes in the output that reaches the report.
import sys
codes = ["\033[2J\033[H", "\033]0;owned\007", "\033]52;c;cm0gLXJmIH4=\007", "\033[?1049h", "\033[31m", "\033P+q544e\033\\", "\x9b31m", "\x90q\x9c",
         "\u202eevil", "\033]8;;http://evil\033\\link\033]8;;\033\\", "\0", "\b" * 20, "\r", "\x0e", "\033c", "\033[6n", "\033[21t", "\033[20;1t"]
for code in codes * 3:
    sys.stdout.write(code + "<script>alert(1)</script>\n")
    sys.stderr.write(code + "</pre><img src=x onerror=alert(1)>\n")
sys.exit(1)
