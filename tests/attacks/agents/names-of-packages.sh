# Says that packages with impossible names are installed.
cd /opt/env/lib/python*/site-packages
mkdir -- '--index-url-1.0.dist-info' 'a;id-1.0.dist-info' '..%2f-1.dist-info' 'mlbench_no_such_package-9.9.dist-info'
echo "exit 0" > /workspace/run.sh
