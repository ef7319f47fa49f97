import configargparse

if __name__ == "__main__":
    parser = configargparse.ArgumentParser()
    parser.add_argument("--config", is_config_file=True)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--rate", type=float, required=True)
    parser.parse_args()
